import { validateTranscript } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { readAGUIRequest } from '../dialects/agui/agui-request.ts'
import { readUIRequest } from '../dialects/ui/ui-request.ts'
import { acceptedHistory } from './history.ts'

const image = { type: 'image', base64: 'aGk=', mediaType: 'image/png' }
const text = (words: string): object => ({ type: 'text', text: words })
const question = { type: 'text', text: 'And now?' }

describe('earlier messages of useChat', () => {
  const historyOf = (...messages: object[]) => {
    const request = readUIRequest({ id: 's', messages: [...messages, { role: 'user', parts: [question] }] })
    if (!('history' in request)) throw new Error('It is a question.')
    expect(validateTranscript(request.history)).toEqual([])
    return request.history
  }
  const call = { type: 'dynamic-tool', toolCallId: 'c1', toolName: 'look', state: 'output-available' }

  it('keep images and files of the user, without those that a question could not have', () => {
    const parts = [
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=' },
      { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' },
      { type: 'file', mediaType: 'application/pdf', url: 'data:application/pdf;base64,aGk=', filename: 'a.pdf' },
      text('What is it?'),
    ]
    const [asked] = historyOf({ role: 'user', parts })
    const file = { type: 'file', base64: 'aGk=', mediaType: 'application/pdf', name: 'a.pdf' }
    expect(asked?.content).toEqual([image, file, text('What is it?')])
  })

  it('keep the first of two calls of one id', () => {
    const parts = [
      { ...call, input: {}, output: 'first' },
      { ...call, input: {}, output: 'second' },
    ]
    expect(historyOf({ role: 'user', parts: [text('Look')] }, { role: 'assistant', parts })).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'c1' }] },
      { role: 'tool', callId: 'c1', content: 'first' },
    ])
  })

  it('keep each finished call with its result, in its step', () => {
    const parts = [
      { type: 'step-start' },
      text('I look.'),
      { ...call, input: { at: 1 }, output: { found: 3 } },
      { ...call, toolCallId: 'ann/c2', output: 'of a member' },
      { ...call, toolCallId: 'c3', state: 'input-available', input: {} },
      { type: 'tool-pay', toolCallId: 'c4', state: 'output-error', input: {}, errorText: 'A tool failed.' },
      { ...call, toolCallId: 'c5', state: 'output-denied', approval: { approved: false, reason: 'Too much' } },
      { ...call, toolCallId: 'c6', output: [text('A cat.'), image] },
      { type: 'step-start' },
      text('Three.'),
    ]
    const result = { v: 1, role: 'tool' }
    expect(historyOf({ role: 'user', parts: [text('Look')] }, { role: 'assistant', parts })).toEqual([
      { v: 1, role: 'user', content: 'Look' },
      {
        ...{ v: 1, role: 'assistant' },
        content: [
          text('I look.'),
          { type: 'tool-call', callId: 'c1', name: 'look', input: { at: 1 } },
          { type: 'tool-call', callId: 'c4', name: 'pay', input: {} },
          { type: 'tool-call', callId: 'c5', name: 'look', input: {} },
          { type: 'tool-call', callId: 'c6', name: 'look', input: {} },
        ],
      },
      { ...result, callId: 'c1', name: 'look', content: '{"found":3}' },
      { ...result, callId: 'c4', name: 'pay', content: 'A tool failed.', isError: true },
      { ...result, callId: 'c5', name: 'look', content: 'The user denied this call: Too much', isError: true },
      { ...result, callId: 'c6', name: 'look', content: [text('A cat.'), image] },
      { v: 1, role: 'assistant', content: [text('Three.')] },
    ])
  })

  it('have no images for an agent that refuses them', () => {
    const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=' }
    const history = historyOf({ role: 'user', parts: [file, text('Look')] }, { role: 'user', parts: [file] })
    expect(acceptedHistory(history, false)).toEqual([{ v: 1, role: 'user', content: [text('Look')] }])
    expect(acceptedHistory(history)).toEqual(history)
  })
})

it('keeps images and finished calls of earlier messages of AG-UI', () => {
  const toolCall = (id: string, args: string): object => ({
    ...{ id, type: 'function' },
    function: { name: 'look', arguments: args },
  })
  const request = readAGUIRequest({
    ...{ threadId: 't', runId: 'r' },
    messages: [
      {
        role: 'user',
        content: [text('Look'), { type: 'binary', mimeType: 'image/png', data: 'aGk=' }, { type: 'odd' }],
      },
      { role: 'assistant', content: 'I look.', toolCalls: [toolCall('c1', '{"at":1}'), toolCall('c2', '{}')] },
      { role: 'tool', toolCallId: 'c1', content: '{"found":3}' },
      { role: 'assistant', toolCalls: [toolCall('c3', 'no JSON')] },
      { role: 'tool', toolCallId: 'c3', content: '', error: 'It failed.' },
      { role: 'assistant', content: 'Three.' },
      { role: 'user', content: 'And now?' },
    ],
  })
  if (!('history' in request)) throw new Error('It is a question.')
  expect(request.history).toEqual([
    { v: 1, role: 'user', content: [text('Look'), image] },
    {
      ...{ v: 1, role: 'assistant' },
      content: [text('I look.'), { type: 'tool-call', callId: 'c1', name: 'look', input: { at: 1 } }],
    },
    { v: 1, role: 'tool', callId: 'c1', name: 'look', content: '{"found":3}' },
    { v: 1, role: 'assistant', content: [{ type: 'tool-call', callId: 'c3', name: 'look', input: {} }] },
    { v: 1, role: 'tool', callId: 'c3', name: 'look', content: 'It failed.', isError: true },
    { v: 1, role: 'assistant', content: [text('Three.')] },
  ])
  expect(validateTranscript(request.history)).toEqual([])
})
