import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Agent } from '../../agents/agent.ts'
import type { Model, ModelEvent } from '../../contracts/model.ts'
import { validateTranscript } from '../../data/transcript.ts'
import { tool } from '../../tools/define-tool.ts'

const message = { role: 'assistant' as const, content: [] }
const done = { type: 'text', text: 'Done.' }
const finish = { type: 'finish', reason: 'stop', usage: {}, message }
const call = (more: object) => ({ type: 'tool-call', callId: 'a', name: 'act', input: {}, ...more })
const circular: { self?: unknown } = {}
circular.self = circular

const rejections: unknown[] = []
const note = (error: unknown): void => void rejections.push(error)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(() => {
  process.off('unhandledRejection', note)
  expect(rejections).toEqual([])
})

/** A model as a user may write it without types. */
function agentOf(stream: unknown): Agent {
  const model = { id: 'home/made', stream } as Model
  return new Agent({ name: 'Test', functions: [], model, retry: { firstWaitMs: 0 } })
}

function telling(...events: unknown[]): () => AsyncIterable<ModelEvent> {
  return async function* () {
    for (const event of events) yield event as ModelEvent
  }
}

describe('a model', () => {
  it('may send no arguments for a tool that takes none', async () => {
    const ran: unknown[] = []
    const act = tool({
      name: 'act',
      description: 'Acts.',
      input: { type: 'object' },
      execute: (input) => ran.push(input),
    })
    const { input: _, ...bare } = call({})
    const answers = [
      [bare, { ...finish, reason: 'tool-calls', message: { role: 'assistant', content: [bare] } }],
      [
        { type: 'text-delta', text: 'Done.' },
        { ...finish, message: { role: 'assistant', content: [done] } },
      ],
    ]
    const model = { id: 'home/made', stream: () => telling(...(answers.shift() ?? []))() } as Model
    const { text, messages } = await new Agent({ name: 'Test', functions: [act], model }).stream('Go').result
    expect({ text, ran }).toEqual({ text: 'Done.', ran: [{}] })
    expect(validateTranscript(messages)).toEqual([])
  })

  it('emits no reasoning without text, however much of it', async () => {
    const empty = Array.from({ length: 1_000 }, () => ({ type: 'reasoning-delta', text: '' }))
    const events: string[] = []
    for await (const { type } of agentOf(telling(...empty, { type: 'text-delta', text: 'Hi.' }, finish)).stream('Go')) {
      events.push(type)
    }
    expect(events).not.toContain('reasoning-delta')
  })
})

describe('a model that does not keep to the rules', () => {
  it.each<[string, unknown[], RegExp]>([
    ['no event', [null], /type none/],
    ['an event without a type', [{}], /type none/],
    ['an event of another type', [{ type: 'banana' }], /"banana"/],
    ['text that is none', [{ type: 'text-delta', text: 5 }], /text-delta without text/],
    ['reasoning without text', [{ type: 'reasoning-delta' }], /reasoning-delta without text/],
    ['a warning without a message', [{ type: 'warning' }], /warning without a message/],
    ['a finish without a reason', [{ ...finish, reason: undefined }], /for the reason/],
    ['a finish for another reason', [{ ...finish, reason: 'banana' }], /"banana"/],
    ['a finish without usage', [{ ...finish, usage: undefined }], /without a usage and a message/],
    ['a finish whose usage is null', [{ ...finish, usage: null }], /without a usage and a message/],
    ['a finish without a message', [{ ...finish, message: undefined }], /without a usage and a message/],
    ['a message without a role', [{ ...finish, message: { content: [done] } }], /whose `role` is undefined, not/],
    ['a message of the user', [{ ...finish, message: { ...message, role: 'user' } }], /whose `role` is "user", not/],
    ['a message of another version', [{ ...finish, message: { ...message, v: 2 } }], /cannot be stored: `v`/],
    ['a message of no model', [{ ...finish, message: { ...message, model: 7 } }], /cannot be stored: `model`/],
    ['arguments without text', [{ type: 'tool-input-delta', callId: 'a' }], /tool-input-delta without text/],
    ['arguments without an id', [{ type: 'tool-input-delta', text: '{' }], /tool-input-delta without an id/],
    ['arguments of a call with the id ""', [{ type: 'tool-input-delta', callId: '', text: '{' }], /without an id/],
    ['arguments of a whole call', [call({}), { type: 'tool-input-delta', callId: 'a', text: '{' }], /id of its own/],
    ['a call without an id', [call({ callId: undefined })], /without an id/],
    ['a call with an id of 1,025 bytes', [call({ callId: 'x'.repeat(1025) })], /longer than 1024 bytes/],
    ['a call with an id twice', [call({}), call({})], /without an id of its own/],
    ['a call without a name', [call({ name: '' })], /without a name/],
    ['a call whose name is none', [call({ name: 5 })], /without a name/],
    ['a call whose text is none', [call({ inputText: 5 })], /not JSON/],
    ['input with a BigInt', [call({ input: { n: 1n } })], /not JSON/],
    ['circular input', [call({ input: circular })], /not JSON/],
    ['a call that its message does not have', [call({}), finish], /other tool calls/],
    [
      'a call that its message has by another id',
      [call({}), { ...finish, message: { ...message, content: [call({ callId: 'b' })] } }],
      /other tool calls/,
    ],
  ])('ends as malformed: %s', async (_name, events, problem) => {
    const { error } = await agentOf(telling(...events)).stream('Go').result
    expect(error).toMatchObject({ code: 'malformed-stream', provider: 'home', model: 'made' })
    expect(error?.message).toMatch(problem)
  })

  it.each<[string, () => unknown]>([
    ['a promise', async () => []],
    ['a promise that rejects', async () => Promise.reject(new Error('down'))],
    ['text', () => 'text'],
    ['nothing', () => undefined],
  ])('gets an error that says how to write a stream when it returns %s', async (_name, stream) => {
    const { error } = await agentOf(stream).stream('Go').result
    expect(error?.code).toBe('malformed-stream')
    expect(error?.message).toContain('async *stream')
  })

  it('answers with its message when it emits no deltas', async () => {
    const text = { ...finish, message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] } }
    expect(await agentOf(telling(text)).chat('Go')).toBe('Hello.')
  })

  it.each([
    [undefined, 'home/made'],
    ['other/model', 'other/model'],
  ])('is named by its message, where that names %s', async (model, name) => {
    const said = { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }], model }
    const { messages } = await agentOf(telling({ ...finish, message: said })).stream('Go').result
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', model: name })
  })

  it.each<[string, () => unknown]>([
    [
      'by a generator',
      async function* () {
        for (;;) yield { type: 'text-delta', text: 'x' }
      },
    ],
    [
      'by what is ready',
      () => {
        const stream = telling({ type: 'text-delta', text: 'x' })()
        return Object.assign(stream, { ready: () => ({ type: 'text-delta', text: 'x' }) })
      },
    ],
  ])('is stopped by a deadline when it never ends its answer %s', async (_how, stream) => {
    const error = await agentOf(stream)
      .chat('Go', { timeoutMs: 60 })
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'timeout', phase: 'run' })
  })
})
