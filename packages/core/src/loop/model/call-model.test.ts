import { afterEach, describe, expect, it, vi } from 'vitest'
import { Agent, AgentKitError, type Model, type ModelEvent, memorySessions, type RunResult, tool } from '../../index.ts'

const input = { type: 'object' }
const finish: ModelEvent = {
  type: 'finish',
  reason: 'stop',
  usage: {},
  message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
}
const call = (callId: string): ModelEvent => ({ type: 'tool-call', callId, name: 'act', input: {} })
const finishWith = (...callIds: string[]): ModelEvent => ({
  type: 'finish',
  reason: 'tool-calls',
  usage: {},
  message: {
    role: 'assistant',
    content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'act', input: {} })),
  },
})
const without = (field: 'usage' | 'message'): ModelEvent => {
  const { [field]: _left, ...rest } = finish as Extract<ModelEvent, { type: 'finish' }>
  return rest as ModelEvent
}

afterEach(() => vi.unstubAllEnvs())

describe('an answer that breaks the rules of a model', () => {
  it.each<[string, ModelEvent[], string]>([
    ['ends without a finish', [{ type: 'text-delta', text: 'Hi' }], 'incomplete-stream'],
    ['is empty', [], 'incomplete-stream'],
    ['has events after its finish', [finish, { type: 'text-delta', text: '!' }], 'malformed-stream'],
    ['finishes twice', [finish, finish], 'malformed-stream'],
    ['finishes without a message', [without('message')], 'malformed-stream'],
    ['finishes without a usage', [without('usage')], 'malformed-stream'],
    ['has one id for two calls', [call('a'), call('a'), finishWith('a', 'a')], 'malformed-stream'],
    ['has a call with an empty id', [call(''), finishWith('')], 'malformed-stream'],
    ['has a call in its message that it did not emit', [finishWith('a')], 'malformed-stream'],
    ['emits a call that is not in its message', [call('a'), finish], 'malformed-stream'],
  ])('%s: the run fails, retryable, and leaves no history', async (_name, events, code) => {
    const store = memorySessions()
    const agent = agentOf(streamOf(events), store)
    const { error, messages } = await agent.stream('Go', { sessionId: 's' }).result
    expect(error).toMatchObject({ code, retryable: true, provider: 'test', model: 'own/one' })
    expect(error?.message).toContain('test/own/one')
    expect(messages).toEqual([])
    expect((await store.load({ agentId: 'test', userId: 'default', sessionId: 's' }))?.messages).toEqual([])
  })

  it('has its stream closed', async () => {
    let closed = false
    await run(async function* () {
      try {
        yield finish
        yield finish
      } finally {
        closed = true
      }
    })
    expect(closed).toBe(true)
  })
})

describe('a model that fails', () => {
  it('with an AgentKitError ends the run with that', async () => {
    const cause = new Error('deep')
    const thrown = new AgentKitError('rate-limit', 'Slow down.', {
      cause,
      retryable: true,
      retryAfterMs: 9,
      status: 429,
      provider: 'p',
      model: 'm',
    })
    expect((await run(throwing(thrown))).error).toMatchObject({
      code: 'rate-limit',
      message: 'Slow down.',
      retryable: true,
      retryAfterMs: 9,
      status: 429,
      provider: 'p',
      model: 'm',
      cause,
    })
  })

  it.each<[string, unknown]>([
    ['an error of its own', new Error('It broke.')],
    ['a string', 'socket hang up'],
    ['undefined', undefined],
    ['an object without a prototype', Object.create(null)],
    ['an error whose message is not text', Object.assign(new Error(), { message: { a: 1 } })],
  ])('with %s is a provider-error that keeps the cause', async (_name, thrown) => {
    const { error } = await run(throwing(thrown))
    expect(error).toMatchObject({ code: 'provider-error', retryable: false, provider: 'test', model: 'own/one' })
    expect(error?.cause).toBe(thrown)
  })

  it('has no secret in its error', async () => {
    vi.stubEnv('LLMPROVIDER_API_KEY', 'correct-horse-battery')
    const { error } = await run(throwing(new Error('401 for correct-horse-battery')))
    expect(error?.message).not.toContain('correct-horse-battery')
  })

  it('before it has a stream fails the same way', async () => {
    const throwsAtOnce: Model['stream'] = () => {
      throw new Error('no client')
    }
    expect((await run(throwsAtOnce)).error?.code).toBe('provider-error')
  })
})

describe('the events of a model', () => {
  it('is in the conversation, also where its last message does not repeat it', async () => {
    const reasoning = { type: 'reasoning' as const, text: 'Hm.' }
    const look = { type: 'tool-call' as const, callId: 'a', name: 'look', input: {} }
    const answers: ModelEvent[][] = [
      [
        { type: 'text-delta', text: 'Let me ' },
        { type: 'text-delta', text: 'look.' },
        look,
        { type: 'finish', reason: 'tool-calls', usage: {}, message: { role: 'assistant', content: [reasoning, look] } },
      ],
      [
        { type: 'text-delta', text: 'Nothing.' },
        { type: 'finish', reason: 'stop', usage: {}, message: { role: 'assistant', content: [] } },
      ],
    ]
    const stream: Model['stream'] = async function* () {
      yield* answers.shift() ?? []
    }
    const { messages } = await run(stream)
    const [, first, , last] = messages
    expect(first?.content).toEqual([reasoning, { type: 'text', text: 'Let me look.' }, look])
    expect(last?.content).toEqual([{ type: 'text', text: 'Nothing.' }])
  })

  it('is copied for those who listen: a reader, a tool and the history do not share one input', async () => {
    const given = { city: 'Oslo' }
    const requests: string[] = []
    const stream: Model['stream'] = async function* ({ messages }) {
      requests.push(JSON.stringify(messages))
      if (messages.length > 1) {
        yield finish
        return
      }
      yield { type: 'tool-call', callId: 'a', name: 'act', input: given }
      const content = [{ type: 'tool-call' as const, callId: 'a', name: 'act', input: given }]
      yield { type: 'finish', reason: 'tool-calls', usage: {}, message: { role: 'assistant', content } }
    }
    const seen: unknown[] = []
    const act = tool({
      name: 'act',
      description: 'd',
      input,
      execute(value) {
        seen.push({ ...value })
        value.city = 'changed by the tool'
      },
    })
    const agent = new Agent({
      name: 'Test',
      functions: [act],
      model: { id: 'test/own', stream },
      retry: { firstWaitMs: 0 },
    })
    for await (const event of agent.stream('Go')) {
      event.path.push('changed by the reader')
      if (event.type === 'tool-call') (event.input as typeof given).city = 'changed by the reader'
      else expect(event.path).toEqual(['test', 'changed by the reader'])
    }
    expect(seen).toEqual([{ city: 'Oslo' }])
    expect(requests[1]).toContain('{"city":"Oslo"}')
    expect(given).toEqual({ city: 'Oslo' })
  })
})

function run(stream: Model['stream']): Promise<RunResult> {
  return agentOf(stream).stream('Go').result
}

function agentOf(stream: Model['stream'], sessions = memorySessions()): Agent {
  const act = tool({ name: 'act', description: 'd', input, execute: () => 'acted' })
  return new Agent({
    name: 'Test',
    functions: [act],
    model: { id: 'test/own/one', stream },
    sessions,
    retry: { firstWaitMs: 0 },
  })
}

function streamOf(events: ModelEvent[]): Model['stream'] {
  return async function* () {
    yield* events
  }
}

function throwing(thrown: unknown): Model['stream'] {
  return async function* () {
    yield { type: 'text-delta', text: 'Hi' }
    throw thrown
  }
}

describe('an answer without an end', () => {
  const endless: Model['stream'] = async function* () {
    for (;;) yield { type: 'text-delta', text: 'again and again and again and again and again. ' }
  }
  const model: Model = { id: 'own/endless', stream: endless }

  it('ends with the budget that it goes past', async () => {
    const agent = new Agent({ name: 'Test', functions: [], model, budget: { tokens: 2_000 } })
    const { finishReason, text, warnings } = await agent.stream('Go').result
    expect([finishReason, text.length > 0]).toEqual(['budget', true])
    expect(warnings).toEqual([expect.stringMatching(/the answer of "own\/endless" went past its \d+ tokens/)])
  })

  it('ends in an error, once, where nothing else ends it', async () => {
    const { error, finishReason } = await new Agent({
      name: 'Test',
      functions: [],
      model,
      retry: { firstWaitMs: 0 },
    }).stream('Go').result
    expect([finishReason, error?.code, error?.retryable]).toEqual(['error', 'malformed-stream', false])
  })
})
