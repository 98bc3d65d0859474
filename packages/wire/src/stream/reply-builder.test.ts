import type { ModelEvent } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { type CompleteCall, ReplyBuilder } from './reply-builder.ts'

const owner = 'acme/small'

function finished(fill: (reply: ReplyBuilder) => void) {
  const reply = new ReplyBuilder(owner)
  fill(reply)
  reply.finish('stop', {})
  const events = reply.take()
  const finish = events.at(-1)
  if (finish?.type !== 'finish') throw new Error('The finish comes last.')
  return { events, finish, content: finish.message.content }
}

function finishContent(events: readonly ModelEvent[]) {
  const finish = events.at(-1)
  return finish?.type === 'finish' ? finish.message.content : []
}

describe('Reply', () => {
  it('holds the text of the deltas, in order', () => {
    const { content, finish } = finished((reply) => {
      reply.reasoning('hm')
      reply.text('a')
      reply.text('b')
      reply.toolCall({ callId: 'c1', name: 'echo', argumentsText: '{"x":1}' })
      reply.text('c')
    })
    expect(content).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'ab' },
      { type: 'tool-call', callId: 'c1', name: 'echo', input: { x: 1 } },
      { type: 'text', text: 'c' },
    ])
    expect(finish.message).toMatchObject({ v: 1, role: 'assistant', model: owner })
  })

  it.each([
    ['length', { input: undefined, inputText: '', invalid: 'the answer was cut off before them' }],
    ['stop', { input: {} }],
    ['content-filter', { input: {} }],
  ] as const)(
    'takes a last call without arguments, of an answer that ends for the reason %s, for what it is',
    (reason, read) => {
      const reply = new ReplyBuilder(owner)
      reply.toolCall({ callId: 'c1', name: 'list', argumentsText: '' })
      reply.toolCall({ callId: 'c2', name: 'delete', argumentsText: ' ' })
      reply.finish(reason, {})
      const events = reply.take()
      expect(events.slice(0, 2)).toEqual([
        { type: 'tool-call', callId: 'c1', name: 'list', input: {} },
        { type: 'tool-call', callId: 'c2', name: 'delete', ...read },
      ])
      const inputText = reason === 'length' ? { inputText: '' } : {}
      const stored = { type: 'tool-call', callId: 'c2', name: 'delete', input: {}, ...inputText }
      expect(finishContent(events)[1]).toEqual(stored)
    },
  )

  it.each(['text', 'reasoning'] as const)('takes a call without arguments for complete when %s follows', (kind) => {
    const reply = new ReplyBuilder(owner)
    reply.toolCall({ callId: 'c1', name: 'list', argumentsText: '' })
    expect(reply.take()).toEqual([])
    reply[kind]('a')
    reply.finish('length', {})
    expect(reply.take().slice(0, 2)).toEqual([
      { type: 'tool-call', callId: 'c1', name: 'list', input: {} },
      { type: `${kind}-delta`, text: 'a' },
    ])
  })

  it('warns 100 times at most, once of each', () => {
    const { events } = finished((reply) => {
      for (let chunk = 0; chunk < 1_000; chunk++) reply.warn(`Wrong: ${chunk >> 1}`)
    })
    const warnings = events.flatMap((event) => (event.type === 'warning' ? event.message : []))
    expect(warnings).toEqual(Array.from({ length: 100 }, (_, index) => `Wrong: ${index}`))
  })

  it('joins text blocks as they came', () => {
    const { content } = finished((reply) => {
      reply.text('a')
      reply.endPart()
      reply.text('b')
    })
    expect(content).toEqual([{ type: 'text', text: 'ab' }])
  })

  it('keeps text with data of its own apart', () => {
    const { content } = finished((reply) => {
      reply.beginText({ phase: 'commentary' })
      reply.text('a')
      reply.beginText({ phase: 'final_answer' })
      reply.text('b')
    })
    expect(content).toEqual([
      { type: 'text', text: 'a', opaque: { owner, data: { phase: 'commentary' } } },
      { type: 'text', text: 'b', opaque: { owner, data: { phase: 'final_answer' } } },
    ])
  })

  it('keeps text that ends with data, also when it is empty', () => {
    const { content } = finished((reply) => {
      reply.text('a')
      reply.endText({ signature: 'x' })
      reply.reasoning('hm')
      reply.endText({ signature: 'y' })
    })
    expect(content).toEqual([
      { type: 'text', text: 'a', opaque: { owner, data: { signature: 'x' } } },
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: '', opaque: { owner, data: { signature: 'y' } } },
    ])
  })

  it('keeps the data of a call', () => {
    const { content } = finished((reply) => {
      reply.toolCall({ callId: 'c1', name: 'echo', argumentsText: '', data: { signature: 'x' } })
      reply.toolCall({ callId: 'c2', name: 'echo', argumentsText: '{', data: { signature: 'y' } })
    })
    expect(content).toMatchObject([
      { callId: 'c1', input: {}, opaque: { owner, data: { signature: 'x' } } },
      { callId: 'c2', input: {}, inputText: '{', opaque: { owner, data: { signature: 'y' } } },
    ])
  })

  it('names a call without a name, and gives it an id, for any values of the server', () => {
    const odd = { callId: 0, name: { a: 1 }, argumentsText: '' } as unknown as CompleteCall
    const { content } = finished((reply) => {
      reply.toolCall(odd)
      reply.toolCall({ callId: 'c', name: '', argumentsText: '' })
    })
    expect(content).toMatchObject([
      { callId: expect.stringMatching(/^call_/), name: 'unknown' },
      { callId: 'c', name: 'unknown' },
    ])
  })

  it('begins again empty', () => {
    const { content, finish } = finished((reply) => {
      reply.text('a\ud83e')
      reply.toolCall({ callId: 'c1', name: 'echo', argumentsText: '' })
      reply.restart()
      reply.text('b')
    })
    expect(content).toEqual([{ type: 'text', text: 'b' }])
    expect(finish.reason).toBe('stop')
  })

  it('keeps reasoning that has no text but data', () => {
    const { content, events } = finished((reply) => reply.endReasoning({ secret: 'x' }))
    expect(content).toEqual([{ type: 'reasoning', text: '', opaque: { owner, data: { secret: 'x' } } }])
    expect(events).toHaveLength(1)
  })

  it('emits no empty delta and keeps no empty part', () => {
    const { content, events } = finished((reply) => {
      reply.text('')
      reply.reasoning('')
    })
    expect(content).toEqual([])
    expect(events).toHaveLength(1)
  })

  it('puts a character together that was cut between two deltas', () => {
    const { events, content } = finished((reply) => {
      reply.text('a\ud83e')
      reply.text('\udd8ab')
    })
    expect(events.slice(0, 2)).toEqual([
      { type: 'text-delta', text: 'a' },
      { type: 'text-delta', text: '🦊b' },
    ])
    expect(content).toEqual([{ type: 'text', text: 'a🦊b' }])
  })

  it('marks half a character that stays alone', () => {
    const { events, content } = finished((reply) => reply.text('a\ud83e'))
    expect(content).toEqual([{ type: 'text', text: 'a\ufffd' }])
    expect(events.slice(0, 2)).toEqual([
      { type: 'text-delta', text: 'a' },
      { type: 'text-delta', text: '\ufffd' },
    ])
  })

  it('marks half a character within a delta, and in the arguments of a call', () => {
    const { events, content } = finished((reply) => {
      reply.text('a\ud83eb\udd8ac')
      reply.toolCall({
        callId: 'a',
        name: 'echo',
        argumentsText: '{"t\\ud83e":["\\ud83e\\udd8a","\\\\ud83e",\n"\ud83e"]}',
      })
    })
    const input = { 't\ufffd': ['🦊', '\\ud83e', '\ufffd'] }
    expect(events[0]).toEqual({ type: 'text-delta', text: 'a\ufffdb\ufffdc' })
    expect(events[1]).toMatchObject({ type: 'tool-call', input })
    expect(content).toMatchObject([{ text: 'a\ufffdb\ufffdc' }, { input }])
  })

  it('carries half a character into no other part', () => {
    const { content } = finished((reply) => {
      reply.text('a\ud83e')
      reply.reasoning('b')
    })
    expect(content).toEqual([
      { type: 'text', text: 'a\ufffd' },
      { type: 'reasoning', text: 'b' },
    ])
  })

  it('finishes with tool-calls when there are calls, for any reason that the provider reports (Q9)', () => {
    const { finish } = finished((reply) => reply.toolCall({ callId: 'a', name: 'echo', argumentsText: '' }))
    expect(finish.reason).toBe('tool-calls')
  })

  it('finishes with stop when the provider reports tool-calls without calls', () => {
    const reply = new ReplyBuilder(owner)
    reply.finish('tool-calls', {})
    expect(reply.take()).toMatchObject([{ reason: 'stop' }])
  })

  it('keeps length also with calls', () => {
    const reply = new ReplyBuilder(owner)
    reply.toolCall({ callId: 'a', name: 'echo', argumentsText: '{"te' })
    reply.finish('length', {})
    expect(reply.take().at(-1)).toMatchObject({ reason: 'length' })
  })

  it('gives calls without an id, and with one that is used, an id of their own (Q7)', () => {
    const { content } = finished((reply) => {
      for (const callId of ['a', 'a', '', 'null', 'undefined', undefined]) {
        reply.toolCall({ callId, name: 'echo', argumentsText: '{}' })
      }
    })
    const ids = content.map((part) => (part.type === 'tool-call' ? part.callId : ''))
    expect(ids[0]).toBe('a')
    expect(new Set(ids).size).toBe(6)
    expect(ids.slice(1).every((id) => /^call_\w{1,35}$/.test(id))).toBe(true)
  })

  it('gives a call whose id the conversation has another one, also to the pieces of its arguments (Q7)', () => {
    const call = { type: 'tool-call', callId: '0', name: 'echo', input: {} } as const
    const reply = new ReplyBuilder(owner, [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [call] },
      { role: 'tool', callId: '0', name: 'echo', content: 'Hi' },
    ])
    reply.toolInput('0', '{}')
    reply.toolCall({ callId: '0', name: 'echo', argumentsText: '{}' })
    reply.toolCall({ callId: '0', name: 'echo', argumentsText: '{}' })
    reply.toolCall({ callId: '1', name: 'echo', argumentsText: '{}' })
    const [piece, ...calls] = reply.take().map((event) => ('callId' in event ? event.callId : ''))
    expect(piece).toMatch(/^call_\w+$/)
    expect(calls).toEqual([piece, expect.stringMatching(/^call_\w+$/), '1'])
    expect(new Set(calls).size).toBe(3)
  })

  it('emits invalid arguments as text, beside other calls (Q2)', () => {
    const { events, content } = finished((reply) => {
      reply.toolCall({ callId: 'a', name: 'echo', argumentsText: '{"text":' })
      reply.toolCall({ callId: 'b', name: 'echo', argumentsText: '{"text":"x"}' })
    })
    expect(events[0]).toEqual({
      type: 'tool-call',
      callId: 'a',
      name: 'echo',
      input: undefined,
      inputText: '{"text":',
      invalid: expect.stringMatching(/^Unexpected end of JSON input/),
    })
    expect(content[0]).toEqual({ type: 'tool-call', callId: 'a', name: 'echo', input: {}, inputText: '{"text":' })
    expect(events[1]).toMatchObject({ callId: 'b', input: { text: 'x' } })
  })

  it.each([
    ['an exponent', '1e999', 'a'],
    ['a list', '[{"b":-1E+0400}]', 'b'],
    ['digits', '9'.repeat(310), 'a'],
  ])('emits arguments with the infinite number by %s as text: JSON holds none', (_by, number, key) => {
    const argumentsText = `{"a":${number},"id":"e999"}`
    const { events } = finished((reply) => reply.toolCall({ callId: 'a', name: 'echo', argumentsText }))
    const invalid = `the number of "${key}" is too large`
    expect(events[0]).toEqual({
      type: 'tool-call',
      callId: 'a',
      name: 'echo',
      input: undefined,
      inputText: argumentsText,
      invalid,
    })
  })

  it('keeps large numbers, small ones and texts of digits', () => {
    const argumentsText = `{"a":1e308,"b":1e-999,"c":"1e999","__proto__":${'9'.repeat(300)}}`
    const { events } = finished((reply) => reply.toolCall({ callId: 'a', name: 'echo', argumentsText }))
    expect(events[0]).toMatchObject({ input: JSON.parse(argumentsText) })
  })

  it.each(['', '  ', 'null'])('treats the arguments %j as empty (Q2)', (argumentsText) => {
    const { events } = finished((reply) => reply.toolCall({ callId: 'a', name: 'now', argumentsText }))
    expect(events[0]).toEqual({ type: 'tool-call', callId: 'a', name: 'now', input: {} })
  })
})

it('limits the calls of one answer, incomplete and complete ones', () => {
  const tooMuch = expect.objectContaining({
    code: 'malformed-stream',
    retryable: false,
    provider: 'acme',
    model: 'm/1',
  })
  const streamed = new ReplyBuilder('acme/m/1')
  streamed.countPiece('x'.repeat(2_097_152))
  expect(() => streamed.countPiece('x')).toThrow(tooMuch)
  const whole = new ReplyBuilder('acme/m/1')
  whole.toolCall({ name: 'act', argumentsText: 'x'.repeat(2_097_152) })
  expect(() => whole.toolCall({ name: 'act', argumentsText: 'x' })).toThrow(tooMuch)
  const many = new ReplyBuilder('acme/m/1')
  for (let call = 0; call < 1_024; call++) many.toolCall({ name: 'act', argumentsText: '' })
  expect(() => many.toolCall({ name: 'act', argumentsText: '' })).toThrow(tooMuch)
})

it.each<[string, (reply: ReplyBuilder, data: string) => void]>([
  ['reasoning', (reply, data) => reply.endReasoning(data)],
  ['text', (reply, data) => reply.endText(data)],
  ['text that begins', (reply, data) => reply.beginText(data)],
  ['calls', (reply, data) => reply.toolCall({ name: 'act', argumentsText: '', data })],
])('ends an answer whose signatures of %s never end', (_what, add) => {
  const reply = new ReplyBuilder(owner)
  const data = 'x'.repeat(1_000_000)
  let added = 0
  const endless = () => {
    for (; added < 100; added++) add(reply, data)
  }
  expect(endless).toThrow('16777216 characters of signatures')
  expect(added).toBe(16)
})
