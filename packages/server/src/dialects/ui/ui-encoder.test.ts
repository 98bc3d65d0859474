import type { AgentEvent, AgentEventBody } from '@agentkit/core'
import {
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai'
import { readUIMessageStream as read6, uiMessageChunkSchema as schema6 } from 'ai6'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uiEncoder } from './ui-encoder.ts'

type Read = typeof readUIMessageStream
const versions: [version: number, read: Read, schema: () => { validate?: unknown }][] = [
  [7, readUIMessageStream, uiMessageChunkSchema],
  [6, read6 as Read, schema6], // the same function
]

/** The chunks of a stream, as a client of this version reads them. */
async function messageOf(text: string, [, read, schema]: (typeof versions)[number]): Promise<UIMessage | undefined> {
  const frames = text.split('\n\n').filter((frame) => frame !== '')
  expect(frames.pop()).toBe('data: [DONE]')
  const validate = schema().validate as (value: unknown) => Promise<{ success: boolean; error?: unknown }>
  const chunks: UIMessageChunk[] = []
  for (const frame of frames) {
    const chunk = JSON.parse(frame.replace(/^data: /, ''))
    expect(await validate(chunk), JSON.stringify(chunk)).toMatchObject({ success: true })
    chunks.push(chunk)
  }
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  let message: UIMessage | undefined
  const onError = (error: unknown): never => {
    throw error
  }
  const messages = read({ stream, terminateOnError: true, onError })
  for await (const state of messages) message = state as UIMessage
  return message
}

const error = { code: 'network', message: 'secret', retryable: true } as const
const usage = { inputTokens: 1 }
const callId = fc.constantFrom('c1', 'c2', 'c3')
const text = fc.string({ minLength: 1 })
const output = fc.oneof(fc.jsonValue(), fc.constant([{ type: 'image', base64: 'aGk=', mediaType: 'image/png' }]))
const body: fc.Arbitrary<AgentEventBody> = fc.oneof(
  text.map((delta) => ({ type: 'text-delta' as const, text: delta })),
  text.map((delta) => ({ type: 'reasoning-delta' as const, text: delta })),
  fc.nat(9).map((step) => ({ type: 'step-start' as const, step })),
  fc.nat(9).map((step) => ({ type: 'step-restart' as const, step, error })),
  fc.nat(9).map((step) => ({ type: 'step-end' as const, step, model: 'm', finishReason: 'stop' as const, usage })),
  fc.record({ callId, input: fc.jsonValue() }).map((call) => ({ type: 'tool-call' as const, name: 'look', ...call })),
  fc
    .record({ callId, output, isError: fc.boolean() })
    .map((result) => ({ type: 'tool-result' as const, name: 'look', durationMs: 1, ...result })),
  fc.record({ callId, input: fc.jsonValue() }).map((call) => ({
    ...{ type: 'approval-request' as const, approvalId: `apr_${call.callId}`, name: 'look', kind: 'approval' as const },
    ...call,
  })),
  fc.constant({ type: 'agent-start' as const, name: 'Member' }),
  fc.constant({ type: 'handoff' as const, to: 'member' }),
  fc.constant({ type: 'model-fallback' as const, from: 'a', to: 'b', error }),
)
const reasons = ['stop', 'length', 'content-filter', 'max-steps', 'budget', 'approval', 'aborted', 'error'] as const
const events = fc
  .record({
    bodies: fc.array(fc.tuple(body, fc.constantFrom<string[][]>(['team'], ['team'], ['team', 'member'])), {
      maxLength: 30,
    }),
    finishReason: fc.constantFrom(...reasons),
  })
  .map(({ bodies, finishReason }): AgentEvent[] => [
    ...bodies.map(([event, path], index) => ({ seq: index + 1, runId: 'run_1', path, ...event })),
    {
      ...{
        seq: bodies.length + 1,
        runId: 'run_1',
        path: ['team'],
        type: 'run-end' as const,
        finishReason,
        text: '',
        usage,
      },
      ...(finishReason === 'error' && { error }),
    },
  ])

describe.each(versions)('the stream for ai %i', (...version) => {
  it('of any events is one that it accepts, with the text that was emitted', async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.constantFrom(undefined, 'member'), async (all, speaker) => {
        const encode = uiEncoder({ speaker })
        const stream = all.map(encode).join('')
        expect(stream).not.toContain('secret')
        if (all.at(-1)?.type === 'run-end' && stream.includes('"type":"error"')) return
        const message = await messageOf(stream, version)
        const deltas = [...stream.matchAll(/^data: (.*"type":"text-delta".*)$/gm)].map(([, json = '']) =>
          JSON.parse(json),
        )
        const shown = message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') ?? ''
        expect(shown).toBe(deltas.map(({ delta }) => delta).join(''))
        // In a sequence, the text of the last member is the answer.
        const isAnswer = ({ type, path }: AgentEvent): boolean =>
          type === 'text-delta' && path.length === (speaker === undefined ? 1 : 2) && path[1] === speaker
        expect(deltas.length).toBeGreaterThanOrEqual(all.filter(isAnswer).length)
      }),
      { numRuns: 300 },
    )
  })
})

const at = (event: AgentEventBody, path = ['helper']): AgentEvent => ({ seq: 1, runId: 'run_1', path, ...event })
const end = (finishReason: (typeof reasons)[number], answer = ''): AgentEvent =>
  at({ type: 'run-end', finishReason, text: answer, usage: {}, ...(finishReason === 'error' && { error }) })
const chunksOf = (...all: AgentEvent[]): Record<string, unknown>[] => {
  const encode = uiEncoder()
  return [
    ...all
      .map(encode)
      .join('')
      .matchAll(/^data: (\{.*)$/gm),
  ].map(([, json = '']) => JSON.parse(json))
}

describe('uiEncoder', () => {
  it('closes a block before its step, and at the end of a run that fails', () => {
    const types = chunksOf(at({ type: 'step-start', step: 1 }), at({ type: 'text-delta', text: 'Hi' }), end('error'))
    expect(types.map(({ type }) => type)).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'error'],
    ])
    expect(types.at(-1)).toEqual({ type: 'error', errorText: 'The model provider could not be reached.' })
  })

  it('streams the words of the last member of a sequence, once', () => {
    const member = ['team', 'editor']
    const encode = uiEncoder({ speaker: 'editor' })
    const said = [
      at({ type: 'text-delta', text: 'Draft' }, ['team', 'writer']),
      at({ type: 'text-delta', text: 'Fi' }, member),
      at({ type: 'step-restart', step: 1, error }, member),
      at({ type: 'text-delta', text: 'Final' }, member),
      at({ type: 'step-end', step: 1, model: 'm', finishReason: 'stop', usage }, member),
      at({ type: 'text-delta', text: 'Final' }, ['team']),
      end('stop', 'Final'),
    ].map(encode)
    const chunks = [...said.join('').matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
    expect(chunks.flatMap(({ type, delta }) => (type === 'data-agentkit' ? [] : [delta ?? type]))).toEqual([
      ...['start', 'text-start', 'Fi', 'text-end', 'data-step-restart', 'text-start', 'Final', 'text-end', 'finish'],
    ])
  })

  it('sends the answer of a workflow once, and the texts of its agents as data', () => {
    const encode = uiEncoder({ speaker: 'report' })
    const said = [
      at({ type: 'agent-start', name: 'Writer' }, ['report', 'writer']),
      at({ type: 'text-delta', text: 'Draft' }, ['report', 'writer']),
      at({ type: 'text-delta', text: 'Final' }, ['report']),
      end('stop', 'Final'),
    ].map(encode)
    const chunks = [...said.join('').matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
    expect(chunks.flatMap(({ type, delta }) => (type === 'data-agentkit' ? [] : [delta ?? type]))).toEqual([
      ...['start', 'text-start', 'Final', 'text-end', 'finish'],
    ])
  })

  it('sends an answer that no step has streamed as one block', () => {
    const types = chunksOf(end('stop', 'All is well.'))
    expect(types.map(({ type }) => type)).toEqual(['start', 'text-start', 'text-delta', 'text-end', 'finish'])
  })

  it('says that a step begins again', () => {
    const chunks = chunksOf(
      at({ type: 'step-start', step: 1 }),
      at({ type: 'text-delta', text: 'Hel' }),
      at({ type: 'step-restart', step: 1, error }),
      at({ type: 'text-delta', text: 'Hello' }),
      end('stop', 'Hello'),
    )
    expect(chunks).toContainEqual({ type: 'data-step-restart', data: { step: 1 } })
    expect(chunks.filter(({ type }) => type === 'text-start')).toHaveLength(2)
  })

  it('sends sources with their citation, and events of members as transient data', () => {
    const source = {
      file: 'a.md',
      heading: 'Bees',
      start: 0,
      end: 4,
      quote: 'Bees',
      chunkId: 'k1',
      score: { fused: 1 },
    }
    const chunks = chunksOf(
      at({ type: 'source', source }),
      at({ type: 'tool-call', callId: 'c1', name: 'ask', input: {} }),
      at({ type: 'agent-start', name: 'Member' }, ['helper', 'member']),
      at({ type: 'text-delta', text: 'Psst' }, ['helper', 'member']),
      end('stop'),
    )
    expect(chunks[1]).toEqual({
      ...{ type: 'source-document', sourceId: 'k1', mediaType: 'text/markdown', title: 'a.md: Bees', filename: 'a.md' },
      providerMetadata: { agentkit: source },
    })
    expect(chunks.filter(({ type }) => type === 'data-agentkit').every(({ transient }) => transient === true)).toBe(
      true,
    )
    expect(chunks.some(({ type }) => type === 'text-delta')).toBe(false)
  })

  it.each(reasons)(
    'ends calls without a result with their run, and asks for no further request: %s',
    async (reason) => {
      const chunks = chunksOf(
        at({ type: 'step-start', step: 1 }),
        at({ type: 'tool-call', callId: 'c1', name: 'look', input: {} }),
        end(reason),
      )
      const stream = new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk as UIMessageChunk)
          controller.close()
        },
      })
      const messages: UIMessage[] = []
      for await (const message of readUIMessageStream({ stream, onError: () => {} })) messages.push(message)
      const call = messages.at(-1)?.parts.find(({ type }) => type === 'dynamic-tool')
      expect(call).toMatchObject({ state: reason === 'approval' ? 'output-available' : 'output-error' })
      // After an error, the client sends nothing by itself.
      if (reason === 'approval' || reason === 'error') return
      expect(lastAssistantMessageIsCompleteWithToolCalls({ messages })).toBe(false)
    },
  )

  it.each(['aborted', 'max-steps'] as const)('ends decided calls without a result with their run: %s', (reason) => {
    const calls = ['c1', 'c2', 'c3']
    const encode = uiEncoder({ calls, decided: calls.map((id) => [`apr_${id}`, id] as const), denied: ['c2'] })
    const result = at({ type: 'tool-result', callId: 'c3', name: 'pay', output: 1, isError: false, durationMs: 1 })
    const stream = encode(result) + encode(end(reason))
    const ends = [...stream.matchAll(/"type":"(tool-output-\w+)","(?:dynamic":true,".*?)?toolCallId":"(\w+)"/g)]
    expect(ends.map(([, type, id]) => [id, type]).toSorted()).toEqual([
      ['c1', 'tool-output-error'],
      ['c2', 'tool-output-denied'],
      ['c3', 'tool-output-available'],
    ])
    // A page would take a step whose calls have all ended as one to send.
    expect(stream.lastIndexOf('start-step')).toBeGreaterThan(stream.lastIndexOf('tool-output'))
  })

  it.each([['c1'], undefined])('asks again about a decided call whose outcome is unknown, of the calls %j', (calls) => {
    const request = { type: 'approval-request', callId: 'c1', name: 'pay', input: {}, kind: 'approval' } as const
    const encode = uiEncoder({ ...(calls && { calls }), decided: [['apr_1', 'c1']] })
    expect(encode(at({ ...request, approvalId: 'apr_1' }))).not.toContain('tool-approval-request')
    // The process died during the call.
    const again = encode(at({ ...request, approvalId: 'apr_2', kind: 'unknown-outcome' }))
    expect(again).toContain('"type":"tool-approval-request"')
    expect(encode(end('approval'))).not.toContain('tool-output')
  })

  it('sends nothing after the end', () => {
    const encode = uiEncoder()
    encode(end('stop'))
    expect(encode(at({ type: 'text-delta', text: 'late' }))).toBe('')
  })
})
