import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Agent, type AgentOptions, type JSONValue, type Message, type Model, type ModelEvent, tool } from '../index.ts'

type Call = Extract<ModelEvent, { type: 'tool-call' }>

/** A model that makes these calls in its first answer, and answers "Done." to their results. */
function calling(calls: Iterable<Call>, more: Partial<Model> = {}): Model {
  let isFirst = true
  return {
    id: 'home/made',
    ...more,
    async *stream() {
      const made: Call[] = []
      if (isFirst) for (const call of calls) yield made[made.push(call) - 1] as Call
      isFirst = false
      const content = made.length > 0 ? made.map((call) => ({ ...call, input: call.input as JSONValue })) : [done]
      yield { type: 'finish', reason: 'stop', usage: {}, message: { role: 'assistant', content } }
    },
  }
}
const done = { type: 'text' as const, text: 'Done.' }

function* callsOf(count: number, input: (index: number) => unknown = () => ({})): Generator<Call> {
  for (let index = 0; index < count; index++) {
    yield { type: 'tool-call', callId: `c${index}`, name: 'act', input: input(index) }
  }
}

const acting = {
  name: 'act',
  description: 'Acts.',
  input: { type: 'object', additionalProperties: { type: ['string', 'object', 'array'] } },
}

function agentOf(model: Model, options: Partial<AgentOptions> = {}): { agent: Agent; ran: unknown[] } {
  const ran: unknown[] = []
  const act = tool({ ...acting, execute: (input) => void ran.push(input) })
  return { agent: new Agent({ name: 'Test', functions: [act], model, retry: { attempts: 1 }, ...options }), ran }
}

const toolMessages = (messages: readonly Message[]) => messages.filter((message) => message.role === 'tool')
const fields = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']))
function nested(levels: number): object {
  let value = {}
  for (let level = 1; level < levels; level++) value = { a: value }
  return value
}

describe('calls of one answer', () => {
  it('run up to 128; the others get a result with the reason, and count for no budget', async () => {
    const { agent, ran } = agentOf(calling(callsOf(1_024)), { budget: { toolCalls: 128 } })
    const { text, messages, finishReason } = await agent.stream('Go').result
    expect({ text, finishReason }).toEqual({ text: 'Done.', finishReason: 'stop' })
    expect(ran).toHaveLength(128)
    const results = toolMessages(messages)
    expect(results).toHaveLength(1_024)
    expect(results.slice(0, 128).every(({ content }) => content === 'done')).toBe(true)
    expect(results.slice(128).every(({ isError }) => isError === true)).toBe(true)
    expect(results.at(-1)?.content).toContain('at most 128 calls')
  })

  it('are not asked about beyond those that run', async () => {
    const guarded = tool({
      name: 'act',
      description: 'd',
      input: { type: 'object' },
      needsApproval: true,
      execute() {},
    })
    const { agent } = agentOf(calling(callsOf(130)), { functions: [guarded] })
    const { approvals, finishReason } = await agent.stream('Go').result
    expect(finishReason).toBe('approval')
    expect(approvals).toHaveLength(128)
  })

  it('are malformed when there are more than 1,024, before all of them have come', async () => {
    let made = 0
    const endless = (function* () {
      for (const call of callsOf(1_000_000)) {
        made++
        yield call
      }
    })()
    const { agent, ran } = agentOf(calling(endless))
    const { error } = await agent.stream('Go').result
    expect(error).toMatchObject({ code: 'malformed-stream', retryable: false, provider: 'home', model: 'made' })
    expect(error?.message).toContain('more than 1024 tool calls')
    expect({ made, ran }).toEqual({ made: 1_025, ran: [] })
  })

  it('have arguments of at most 2 MB together', async () => {
    const large = { text: 'x'.repeat(500_000) }
    const { agent, ran } = agentOf(calling(callsOf(4, () => large)))
    expect((await agent.stream('Go').result).finishReason).toBe('stop')
    expect(ran).toHaveLength(4)
    const { error } = await agentOf(calling(callsOf(5, () => large))).agent.stream('Go').result
    expect(error).toMatchObject({ code: 'malformed-stream', retryable: false })
    expect(error?.message).toContain('longer than 2097152 characters')
  })

  it('have arguments that do not parse within the same bound', async () => {
    const call: Call = { type: 'tool-call', callId: 'c', name: 'act', input: undefined, invalid: 'no' }
    const { error } = await agentOf(calling([{ ...call, inputText: 'x'.repeat(2_100_000) }])).agent.stream('Go').result
    expect(error).toMatchObject({ code: 'malformed-stream', retryable: false })
  })

  it('have arguments that the bound of the budget counts', async () => {
    const model = calling(callsOf(1, () => ({ text: 'x'.repeat(200_000) })))
    const { agent, ran } = agentOf(model, { budget: { tokens: 5_000 } })
    expect((await agent.stream('Go').result).finishReason).toBe('budget')
    expect(ran).toEqual([])
  })
})

describe('the id of a call', () => {
  it.each(['constructor', 'toString', '__proto__'])(
    'may be the name of a property that every object has: %s',
    async (callId) => {
      const { agent, ran } = agentOf(calling([{ type: 'tool-call', callId, name: 'act', input: { a: 'b' } }]))
      const { text, error, messages } = await agent.stream('Go').result
      expect({ text, error }).toEqual({ text: 'Done.', error: undefined })
      expect(ran).toEqual([{ a: 'b' }])
      expect(toolMessages(messages)).toMatchObject([{ callId, content: 'done' }])
    },
  )

  it.each(['constructor', '__proto__'])('is kept of a call that waits: %s', async (callId) => {
    const ran: unknown[] = []
    const act = tool({ ...acting, needsApproval: true, execute: (input) => void ran.push(input) })
    const model = calling([{ type: 'tool-call', callId, name: 'act', input: { a: 'b' } }])
    const { agent } = agentOf(model, { functions: [act] })
    const { runId, approvals } = await agent.stream('Go').result
    expect(approvals).toMatchObject([{ callId, kind: 'approval' }])
    const result = await agent.resume(runId, { [approvals[0]?.approvalId ?? '']: true }).result
    expect(result).toMatchObject({ text: 'Done.' })
    expect(ran).toEqual([{ a: 'b' }])
  })
})

describe('arguments of a call', () => {
  it.each<[string, object]>([
    ['10,000 fields', fields(10_000)],
    ['64 levels', nested(64)],
  ])('are taken with %s', async (_what, input) => {
    const { agent, ran } = agentOf(calling(callsOf(1, () => input)))
    await agent.stream('Go').result
    expect(ran).toEqual([input])
  })

  it.each<[string, unknown]>([
    ['more fields', fields(10_001)],
    ['a longer list', { list: Array(10_001).fill('x') }],
    ['a list that says that it is longer than any', { list: Array(4_000_000_000) }],
    ['more levels', nested(65)],
    ['more levels than a stack has', JSON.parse(`${'[{"a":'.repeat(200_000)}1${'}]'.repeat(200_000)}`)],
  ])('are refused as too large with %s: the run continues, and the history stays short', async (_what, input) => {
    const { agent, ran } = agentOf(calling(callsOf(1, () => input)))
    const { text, messages } = await agent.stream('Go').result
    expect(text).toBe('Done.')
    expect(ran).toEqual([])
    const [result] = toolMessages(messages)
    expect(result).toMatchObject({ isError: true })
    expect(result?.content).toMatch(/invalid-tool-call.*more than 10000 fields and items, or nested deeper than 64/)
    expect(JSON.stringify(messages).length).toBeLessThan(2_000)
  })

  it('are validated one large call in a turn of the event loop', async () => {
    let turns = 0
    let isOver = false
    const turning = (async () => {
      while (!isOver) {
        await nextTurn()
        turns++
      }
    })()
    const atTurns: number[] = []
    const act = tool({
      name: 'act',
      description: 'd',
      input: { type: 'object' },
      execute: () => void atTurns.push(turns),
    })
    const { agent } = agentOf(calling(callsOf(20, () => fields(1_000))), { functions: [act] })
    await agent.stream('Go').result
    isOver = true
    await turning
    expect(new Set(atTurns).size).toBe(20)
  })

  it('are not compared with each other in a list that is long', async () => {
    const act = tool({
      name: 'act',
      description: 'd',
      input: { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } },
      execute: () => 'ran',
    })
    const list = Array.from({ length: 1_001 }, (_, index) => index)
    const { agent } = agentOf(calling(callsOf(1, () => ({ list }))), { functions: [act] })
    const { messages } = await agent.stream('Go').result
    expect(toolMessages(messages)[0]?.content).toContain('more than 1000 items')
  })

  it('are checked in time that does not double with each letter', async () => {
    const act = tool({
      name: 'act',
      description: 'd',
      input: { type: 'object', properties: { site: { type: 'string', format: 'url' } } },
      execute: () => 'ran',
    })
    const { agent } = agentOf(calling(callsOf(1, () => ({ site: `http://${'a'.repeat(100_000)} ` }))), {
      functions: [act],
    })
    const { messages } = await agent.stream('Go').result
    expect(toolMessages(messages)[0]?.content).toContain('format "url"')
  })
})

describe('a message that an answer ends with', () => {
  const ending = (content: unknown): Model => ({
    id: 'home/made',
    async *stream() {
      yield { type: 'finish', reason: 'stop', usage: {}, message: { role: 'assistant', content: content as never } }
    },
  })
  const circle: { self?: unknown } = {}
  circle.self = circle

  it.each<[string, unknown, RegExp]>([
    ['a part that is none', [null], /parts are none/],
    ['a part of another type', [{ type: 'banana' }], /parts are none/],
    ['a text without text', [{ type: 'text' }], /parts are none/],
    ['data that is not JSON', [{ type: 'text', text: 'Hi', opaque: { owner: 'a/b', data: 1n } }], /not JSON/],
    ['data that holds itself', [{ type: 'text', text: 'Hi', opaque: { owner: 'a/b', data: circle } }], /not JSON/],
    [
      'data without an end',
      [{ type: 'reasoning', text: '', opaque: { owner: 'a/b', data: 'x'.repeat(17e6) } }],
      /16777216/,
    ],
  ])('is malformed with %s', async (_what, content, problem) => {
    const { error } = await agentOf(ending(content)).agent.stream('Go').result
    expect(error?.code).toBe('malformed-stream')
    expect(error?.message).toMatch(problem)
  })
})

it('counts the warnings of a model for the length of its answer', async () => {
  let emitted = 0
  const model: Model = {
    id: 'home/made',
    async *stream() {
      for (;;) {
        emitted++
        yield { type: 'warning', message: 'x'.repeat(100_000) }
      }
    },
  }
  const { error } = await agentOf(model).agent.stream('Go').result
  expect(error).toMatchObject({ code: 'malformed-stream' })
  expect(emitted).toBeLessThan(25)
})

it('ends an answer of empty warnings that never ends', async () => {
  let emitted = 0
  const model: Model = {
    id: 'home/made',
    async *stream() {
      for (; emitted < 5_000_000; emitted++) yield { type: 'warning', message: '' }
    },
  }
  const { error } = await agentOf(model).agent.stream('Go').result
  expect(error).toMatchObject({ code: 'malformed-stream', retryable: false })
  expect(emitted).toBeLessThan(2_100_000)
})

it.each<[string, unknown]>([
  ['no list', 'abc'],
  ['no text in the list', [{ a: 1n }]],
  ['a hole in the list', new Array(1)],
  ['more than anyone reads', new Array(1_000_000).fill('w')],
])('is malformed when the warnings of its finish are %s', async (_what, warnings) => {
  const message = { role: 'assistant' as const, content: [done] }
  const model: Model = {
    id: 'home/made',
    async *stream() {
      yield { type: 'finish', reason: 'stop', usage: {}, message, warnings } as ModelEvent
    },
  }
  const { error } = await agentOf(model).agent.stream('Go').result
  expect(error).toMatchObject({ code: 'malformed-stream', message: expect.stringContaining('warning') })
})
