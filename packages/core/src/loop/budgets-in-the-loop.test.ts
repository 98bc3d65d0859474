import { setImmediate as nextTurnOfTheLoop, setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomOf } from '../__fixtures__/random.ts'
import {
  Agent,
  type AgentEvent,
  AgentKitError,
  type AgentOptions,
  type Budget,
  type Model,
  type ModelInfo,
  type ModelRequest,
  memorySessions,
  type RunOptions,
  type RunResult,
  type Tool,
  tool,
  type Usage,
  validateTranscript,
} from '../index.ts'
import { limits } from '../limits.ts'
import { worstCostOf } from '../policies/price.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'

const price = { inputUsdPerMillion: 2, outputUsdPerMillion: 8, asOf: '2026-01-01' }
const info: ModelInfo = { maxOutputTokens: 1_000, price }
const busy = new AgentKitError('overloaded', 'Busy.', { retryable: true })
const quick = { firstWaitMs: 0 }
const call = (name: string, ...more: string[]): ScriptedTurn => ({
  toolCalls: [name, ...more].map((each) => ({ name: each })),
})
const makeTool = (name: string, execute: Tool['execute']): Tool =>
  tool({ name, description: 'Does it.', input: { type: 'object' }, execute })
const act = makeTool('act', () => 'acted')
const many = (turn: ScriptedTurn, count = 30): ScriptedTurn[] => Array.from({ length: count }, () => turn)

type Options = Partial<AgentOptions<unknown>> & Pick<AgentOptions<unknown>, 'model'>
const agentOf = (options: Options): Agent<unknown> =>
  new Agent({ name: 'Test', functions: [act], retry: quick, guard: false, ...options })
const run = (options: Options, runOptions?: RunOptions): Promise<RunResult<unknown>> =>
  agentOf(options).stream('Go', runOptions).result
const modelOf = (turns: readonly ScriptedTurn[], more: { id?: string; info?: ModelInfo } = {}): ScriptedModel =>
  scriptedModel(turns, { info, ...more })

/** Time passes only when a test advances it. Immediates stay: they are the event loop's. */
const passTime = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
afterEach(() => void vi.useRealTimers())

/** A turn that takes so long, and has no end. */
const lasting =
  (milliseconds: number): ScriptedTurn =>
  async () => {
    vi.advanceTimersByTime(milliseconds)
    return new Promise<never>(() => {})
  }

/** A model that begins to answer, and then never continues. */
const telling = (text: string, then: () => void): Model => ({
  id: 'test/telling',
  info,
  async *stream() {
    yield { type: 'text-delta', text }
    then()
    await new Promise(() => {})
  },
})

describe('no random run', () => {
  it.each(Array.from({ length: 300 }, (_, seed) => seed))(
    'begins a call that could exceed its budget (seed %i)',
    async (seed) => {
      const { budget, agent, witness } = anyRun(randomOf(seed).fraction)
      const events: AgentEvent[] = []
      const going = agent.stream('Go')
      for await (const event of going) events.push(event)
      const { finishReason, usage, cost, error, messages, warnings } = await going.result

      expect(witness.problems).toEqual([])
      expect(witness.modelCalls).toBeLessThanOrEqual(budget.modelCalls ?? Number.POSITIVE_INFINITY)
      expect(witness.toolCalls).toBeLessThanOrEqual(budget.toolCalls ?? Number.POSITIVE_INFINITY)
      const { inputTokens = 0, outputTokens = 0 } = usage
      expect(inputTokens + outputTokens).toBeLessThanOrEqual(budget.tokens ?? Number.POSITIVE_INFINITY)
      expect(inputTokens + outputTokens).toBeGreaterThanOrEqual(witness.tokens)
      if (witness.modelCalls > 0)
        expect(cost?.usd).toBeLessThanOrEqual((budget.usd ?? Number.POSITIVE_INFINITY) + 1e-12)
      expect(['stop', 'budget', 'error']).toContain(finishReason)
      if (finishReason === 'error') expect(error?.code).toBe('overloaded')
      if (finishReason === 'budget') expect(warnings.join()).toMatch(/budget/)
      expect(validateTranscript(messages)).toEqual([])
      expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason, usage })
    },
  )

  it('is stopped each time, or never', async () => {
    const seeds = Array.from({ length: 40 }, (_, seed) => seed)
    const ends = await Promise.all(
      seeds.map(async (seed) => (await anyRun(randomOf(seed).fraction).agent.stream('Go').result).finishReason),
    )
    expect(new Set(ends)).toEqual(new Set(['stop', 'budget']))
  })
})

describe('a budget', () => {
  it('of model calls ends the run before the call that exceeds it, with the answer so far', async () => {
    const model = modelOf(many({ text: 'Let me see.', toolCalls: [{ name: 'act' }] }))
    const result = await run({ model, budget: { modelCalls: 3 } })
    expect(result).toMatchObject({ finishReason: 'budget', text: 'Let me see.', steps: 3 })
    expect(result.error).toBeUndefined()
    expect(result.warnings).toEqual(["The run's budget is used up: 3 of 3 model calls were made."])
    expect(model.requests).toHaveLength(3)
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      ...many('x', 3).flatMap(() => ['assistant', 'tool']),
    ])
  })

  it('of tool calls ends the run before a step whose calls exceed it: none of them is executed', async () => {
    let acted = 0
    const counted = makeTool('act', () => ++acted)
    const sessions = memorySessions()
    const model = modelOf([call('act'), call('act', 'act', 'act'), 'Never.'])
    const agent = agentOf({ model, functions: [counted], budget: { toolCalls: 3 }, sessions })
    const result = await agent.stream('Go', { sessionId: 's' }).result
    expect(result).toMatchObject({ finishReason: 'budget', steps: 2 })
    expect(acted).toBe(1)
    const ended = await agentOf({ model: modelOf([call('act'), call('act', 'act', 'act')]), budget: { toolCalls: 3 } })
    const events: AgentEvent[] = []
    for await (const event of ended.stream('Go')) events.push(event)
    // The second answer of the model is paid for, too.
    expect(events.flatMap((event) => (event.type === 'step-end' ? [event.step] : []))).toEqual([1, 2])
    const stored = await sessions.load({ agentId: 'test', userId: 'default', sessionId: 's' })
    expect(stored?.messages).toEqual(result.messages)
    expect(validateTranscript(result.messages)).toEqual([])
    expect((await sessions.turns({ agentId: 'test', userId: 'default', sessionId: 's' }))[0]?.status).toBe('done')
  })

  it('lowers the longest answer to the rest of the budget', async () => {
    const model = modelOf(['Short.'])
    const prompt = estimateRequest({ messages: [{ role: 'user', content: 'Go' }] }, info)
    const result = await run({ model, functions: [], budget: { tokens: prompt + 500 } })
    expect(model.requests[0]?.maxOutputTokens).toBe(500)
    expect(result.finishReason).toBe('stop')
  })

  it('that cut the answer short is why the run ends', async () => {
    const prompt = estimateRequest({ messages: [{ role: 'user', content: 'Go' }] }, info)
    const cut: ScriptedTurn = { text: 'Once upon a', finishReason: 'length' }
    const tight = await run({ model: modelOf([cut]), functions: [], budget: { tokens: prompt + 500 } })
    expect(tight).toMatchObject({ finishReason: 'budget', text: 'Once upon a' })
    expect(tight.warnings).toHaveLength(1)
    const wide = await run({ model: modelOf([cut]), functions: [], budget: { tokens: prompt + 1_000 } })
    expect(wide).toMatchObject({ finishReason: 'length', text: 'Once upon a' })
  })

  it('too small for a useful answer ends the run before a model is called', async () => {
    const model = modelOf(['Never.'])
    const prompt = estimateRequest({ messages: [{ role: 'user', content: 'Go' }] }, info)
    const result = await run({ model, functions: [], budget: { tokens: prompt + limits.leastAnswerTokens - 1 } })
    expect(result).toMatchObject({ finishReason: 'budget', text: '', usage: {}, steps: 0 })
    expect(result.cost).toBeUndefined()
    expect(model.requests).toEqual([])
  })

  it('is the error of `chat` when there is no answer', async () => {
    const agent = agentOf({ model: modelOf(many(call('act'))), budget: { modelCalls: 2 } })
    await expect(agent.chat('Go')).rejects.toMatchObject({ code: 'budget', usage: { totalTokens: 30 } })
    const talking = agentOf({
      model: modelOf(many({ text: 'So far.', toolCalls: [{ name: 'act' }] })),
      budget: { modelCalls: 2 },
    })
    expect(await talking.chat('Go')).toBe('So far.')
  })

  it('counts each attempt of a call', async () => {
    const model = modelOf([busy, busy, 'Never.'])
    const result = await run({ model, budget: { modelCalls: 2 } })
    expect(result).toMatchObject({ finishReason: 'budget', steps: 0, text: '' })
    expect(model.requests).toHaveLength(2)
  })

  it('keeps the last step of a run whose next one fails, and may not be tried again', async () => {
    const first: ScriptedTurn = { text: 'First.', toolCalls: [{ name: 'act' }] }
    const model = modelOf([first, { text: 'Half an ans', error: busy }, 'Never.'])
    const result = await run({ model, budget: { modelCalls: 2 } })
    expect(result).toMatchObject({ finishReason: 'budget', text: 'First.', steps: 1 })
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('of one run tightens that of its agent, and never loosens it', async () => {
    const counts = async (agentBudget: Budget, runBudget: Budget): Promise<number> => {
      const model = modelOf(many(call('act')))
      await run({ model, budget: agentBudget }, { budget: runBudget })
      return model.requests.length
    }
    expect(await counts({ modelCalls: 4 }, { modelCalls: 2 })).toBe(2)
    expect(await counts({ modelCalls: 4 }, { modelCalls: 9 })).toBe(4)
    expect(await counts({ modelCalls: 4 }, { toolCalls: 1 })).toBe(2)
  })

  it('is each run’s own', async () => {
    const agent = agentOf({ model: modelOf(['One.', 'Two.']), budget: { modelCalls: 1 } })
    expect(await agent.chat('Go')).toBe('One.')
    expect(await agent.chat('Go')).toBe('Two.')
  })

  it('that cannot be kept is refused when it is given', async () => {
    expect(() => agentOf({ model: modelOf([]), budget: { usd: -1 } })).toThrow('`budget.usd`')
    const agent = agentOf({ model: modelOf([]) })
    expect(() => agent.stream('Go', { budget: { calls: 1 } as Budget })).toThrow('Unknown option `budget.calls`')
  })

  it('holds for the summaries of a long conversation too', async () => {
    const small: ModelInfo = { contextWindow: 2_000, maxOutputTokens: 300 }
    const long = makeTool('act', () => 'word '.repeat(200))
    const asked: ModelRequest[] = []
    const answer = (request: ModelRequest): ScriptedTurn => {
      asked.push(request)
      return request.tools ? call('act') : 'A summary.'
    }
    const model = modelOf(many(answer, 40), { info: small })
    const result = await run({ model, functions: [long], budget: { modelCalls: 12 }, maxSteps: 40 })
    expect(asked.some(({ tools }) => !tools)).toBe(true)
    expect(asked).toHaveLength(12)
    expect(result.finishReason).toBe('budget')
  })
})

describe('a budget of seconds', () => {
  beforeEach(passTime)
  const budget = { seconds: 5 }

  it('ends the run in the middle of a model call', async () => {
    const model = modelOf([{ text: 'First.', toolCalls: [{ name: 'act' }] }, lasting(5_000)])
    const result = await run({ model, budget })
    expect(result).toMatchObject({ finishReason: 'budget', text: 'First.', steps: 1, usage: { estimated: true } })
    expect(result.error).toBeUndefined()
    expect(result.warnings).toEqual(["The run's budget is used up: its seconds are over."])
  })

  it('ends it in the middle of an answer, which is kept as far as it goes', async () => {
    const sessions = memorySessions()
    const agent = agentOf({ model: telling('Once upon', () => vi.advanceTimersByTime(5_000)), budget, sessions })
    const { finishReason, text, messages } = await agent.stream('Go', { sessionId: 's' }).result
    expect([finishReason, text]).toEqual(['budget', 'Once upon'])
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text }] })
    expect((await sessions.load({ agentId: 'test', userId: 'default', sessionId: 's' }))?.messages).toEqual(messages)
  })

  it('ends it in the middle of a tool', async () => {
    const slow = makeTool('slow', async () => {
      await undefined
      vi.advanceTimersByTime(5_000)
      return new Promise(() => {})
    })
    const model = modelOf([call('act', 'slow'), 'Never.'])
    const result = await run({ model, functions: [act, slow], budget })
    expect(result).toMatchObject({ finishReason: 'budget', steps: 1 })
    expect(JSON.stringify(result.messages)).not.toContain('slow')
    expect(validateTranscript(result.messages)).toEqual([])
  })

  it('ends it in the wait before a retry', async () => {
    const patient = new AgentKitError('rate-limit', 'Later.', { retryable: true, retryAfterMs: 30_000 })
    const model = modelOf([{ text: 'Half an ans', error: patient }, 'Never.'])
    const going = agentOf({ model, budget }).stream('Go')
    for await (const event of going)
      if (event.type === 'step-restart') setImmediate(() => vi.advanceTimersByTime(5_000))
    const result = await going.result
    expect(result).toMatchObject({ finishReason: 'budget', text: '' })
    expect(result.messages).toMatchObject([{ role: 'user' }])
    expect(model.requests).toHaveLength(1)
  })

  it('of 0 ends the run before a model is called', async () => {
    const model = modelOf(['Never.'])
    expect(await run({ model, budget: { seconds: 0 } })).toMatchObject({ finishReason: 'budget', steps: 0 })
    expect(model.requests).toEqual([])
  })

  it('leaves no timer behind, however the run ends', async () => {
    for (const turns of [['Done.'], [lasting(5_000)], [call('act'), new AgentKitError('auth', 'No.')]]) {
      await run({ model: modelOf(turns), budget }, { timeoutMs: 60_000 })
      expect(vi.getTimerCount()).toBe(0)
    }
  })

  it('is not a deadline: that ends in a timeout', async () => {
    const result = await run({ model: modelOf([lasting(4_000)]), budget }, { timeoutMs: 4_000 })
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'timeout', phase: 'run' } })
  })
})

describe('US dollars', () => {
  it('are the cost of the run, by the price of each model', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 500, totalTokens: 1_500 }
    const model = modelOf([
      { ...(call('act') as object), usage },
      { text: 'Done.', usage },
    ])
    const events: AgentEvent[] = []
    const going = agentOf({ model }).stream('Go')
    for await (const event of going) events.push(event)
    expect((await going.result).cost).toEqual({ usd: 0.012 })
    expect(events.at(-1)).toMatchObject({ type: 'run-end', cost: { usd: 0.012 } })
  })

  it('are absent from the result of a model without a price', async () => {
    const result = await run({ model: scriptedModel(['Hi.']) })
    expect(result.finishReason).toBe('stop')
    expect(result).not.toHaveProperty('cost')
  })

  it('go by the prices that the user gives', async () => {
    const prices = { 'test/scripted': { inputUsdPerMillion: 100_000, outputUsdPerMillion: 0 } }
    expect((await run({ model: modelOf(['Hi.']), prices })).cost).toEqual({ usd: 1 })
    const model = scriptedModel(many(call('act')), { info: { maxOutputTokens: 300 } })
    const bounded = await run({ model, prices, budget: { usd: 150 } })
    expect(bounded.finishReason).toBe('budget')
    expect(bounded.cost?.usd).toBeLessThanOrEqual(150)
    expect(model.requests.length).toBeGreaterThan(1)
  })

  it('cannot be bounded while a price is not known', async () => {
    const unknown = scriptedModel(['Never.'])
    const clear = { code: 'invalid-config', message: expect.stringContaining('prices: { "test/scripted": {') }
    expect(() => agentOf({ model: unknown, budget: { usd: 1 } })).toThrow(expect.objectContaining(clear))
    expect(() => agentOf({ model: [modelOf([]), unknown], budget: { usd: 1 } })).toThrow(expect.objectContaining(clear))
    const agent = agentOf({ model: unknown })
    expect(() => agent.stream('Go', { budget: { usd: 1 } })).toThrow(expect.objectContaining(clear))
    await expect(agent.chat('Go', { budget: { usd: 1 } })).rejects.toMatchObject(clear)
    expect(unknown.requests).toEqual([])
  })

  it('are bounded where the price comes with the model, and refused where it does not come', async () => {
    const late = (known: ModelInfo): Model => {
      const model = scriptedModel(['Hi.'])
      const loaded: { info?: ModelInfo } = {}
      return {
        id: model.id,
        get info() {
          return loaded.info ?? {}
        },
        async load() {
          loaded.info = known
        },
        stream: model.stream,
      }
    }
    expect(await run({ model: late(info), budget: { usd: 1 } })).toMatchObject({ finishReason: 'stop', cost: {} })
    const result = await run({ model: late({}), budget: { usd: 1 } })
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'invalid-config' } })
    // Before it is needed: a budget must not turn out to be impossible later.
    const model = modelOf(['Never.'])
    const chain = await run({ model: [model, late({})], budget: { usd: 1 } })
    expect(chain).toMatchObject({ finishReason: 'error', error: { code: 'invalid-config' } })
    expect(model.requests).toEqual([])
  })
})

describe('the usage', () => {
  it('of an aborted call is estimated, and marked as an estimate', async () => {
    const controller = new AbortController()
    const model = modelOf([call('act'), { text: 'Once upon a time', deltas: 16, delayMs: 10 }])
    const going = agentOf({ model }).stream('Go', { signal: controller.signal })
    for await (const event of going) if (event.type === 'text-delta') controller.abort()
    const { finishReason, usage, cost, text } = await going.result
    expect(finishReason).toBe('aborted')
    expect(text).not.toBe('')
    expect(usage.estimated).toBe(true)
    expect(usage.inputTokens).toBeGreaterThan(10)
    expect(usage.outputTokens).toBeGreaterThan(5)
    expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))
    expect(cost).toMatchObject({ estimated: true })
  })

  it('of a call that was aborted before its first text is that of its prompt', async () => {
    const controller = new AbortController()
    const model = modelOf([() => new Promise<never>(() => setTimeout(() => controller.abort(), 5))])
    const { usage } = await run({ model, functions: [] }, { signal: controller.signal })
    const inputTokens = estimateRequest({ messages: [{ role: 'user', content: 'Go' }] }, info)
    expect(usage).toEqual({ inputTokens, outputTokens: 0, totalTokens: inputTokens, estimated: true })
  })

  it('of a run that is aborted before its model is asked is nothing', async () => {
    const controller = new AbortController()
    const model = modelOf(['Never.'])
    const hooks = { beforeModel: () => controller.abort() }
    const result = await run({ model, hooks }, { signal: controller.signal })
    expect(result).toMatchObject({ finishReason: 'aborted', usage: {} })
    expect(result.cost).toBeUndefined()
    expect(model.requests).toEqual([])
  })

  it('of one that is aborted on the way to its model is nothing, whenever that is', async () => {
    const asked = new Set<boolean>()
    for (let microtasks = 0; microtasks < 30; microtasks++) {
      const controller = new AbortController()
      const model = modelOf(['Hi.'])
      const going = agentOf({ model }).stream('Go', { signal: controller.signal })
      for await (const event of going) {
        if (event.type !== 'step-start') continue
        for (let microtask = 0; microtask < microtasks; microtask++) await undefined
        controller.abort()
      }
      const { usage } = await going.result
      expect(Object.keys(usage).length > 0).toBe(model.requests.length > 0)
      asked.add(model.requests.length > 0)
    }
    expect(asked.size).toBe(2)
  })

  it('has the failed attempts in it, estimated where they had begun to answer', async () => {
    const plain = (await run({ model: modelOf(['Done.']) })).usage
    const refused = (await run({ model: modelOf([busy, 'Done.']) })).usage
    const broken = (await run({ model: modelOf([{ text: 'Half an ans', error: busy }, 'Done.']) })).usage
    expect(refused).toEqual(plain)
    expect(broken.estimated).toBe(true)
    expect(broken.totalTokens).toBeGreaterThan(plain.totalTokens ?? 0)
  })

  it('counts a failed attempt whose error has its usage', async () => {
    const usage = { inputTokens: 700, outputTokens: 30, totalTokens: 730 }
    const reported = new AgentKitError('overloaded', 'Busy.', { retryable: true, usage })
    expect((await run({ model: modelOf([reported, 'Done.']) })).usage).toEqual({
      inputTokens: 710,
      outputTokens: 35,
      totalTokens: 745,
    })
  })

  it('of a run that fails is in its result and in its error', async () => {
    const model = modelOf([call('act'), new AgentKitError('auth', 'No.')])
    const result = await run({ model })
    expect(result).toMatchObject({ finishReason: 'error', usage: { totalTokens: 15 }, cost: { usd: 60e-6 } })
    expect(result.error?.usage).toEqual(result.usage)
  })

  it('that is impossible is not accepted from a model', async () => {
    // What a model of a user may report.
    const odd = { inputTokens: Number.NaN, outputTokens: -1_000_000, totalTokens: '15' } as unknown as Usage
    const model = modelOf(many({ ...(call('act') as object), usage: odd }))
    const result = await run({ model, budget: { tokens: 20_000 }, maxSteps: 100 })
    expect(result.finishReason).toBe('budget')
    expect(result.usage).toMatchObject({ estimated: true })
    expect(result.usage.outputTokens).toBeGreaterThan(0)
  })

  it.each<[string, Usage, Usage]>([
    ['its total alone', { totalTokens: 9 }, { totalTokens: 9 }],
    ['a total beside the prompt', { inputTokens: 7, totalTokens: 12 }, { inputTokens: 7, outputTokens: 5 }],
    ['a total beside the answer', { outputTokens: 3, totalTokens: 12 }, { inputTokens: 9, outputTokens: 3 }],
  ])('has parts that make the total, of a model that reports %s', async (_what, reported, expected) => {
    const { usage } = await run({ model: modelOf([{ text: 'Hi.', usage: reported }]) })
    expect(usage).toMatchObject({ ...expected, totalTokens: reported.totalTokens, estimated: true })
    expect((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)).toBe(reported.totalTokens)
  })

  it.each(['known', 'unknown'])(
    'of a run whose first call failed costs nothing where the price is %s',
    async (price) => {
      const failing = modelOf([new AgentKitError('auth', 'No.')])
      const model = price === 'known' ? failing : Object.assign(failing, { info: {} })
      const { cost, finishReason } = await run({ model })
      expect(finishReason).toBe('error')
      expect(cost).toEqual(price === 'known' ? { usd: 0 } : undefined)
    },
  )

  it('always has a total', async () => {
    const model = modelOf([{ text: 'Hi.', usage: { inputTokens: 7, outputTokens: 3 } }])
    expect((await run({ model })).usage).toEqual({ inputTokens: 7, outputTokens: 3, totalTokens: 10 })
  })
})

describe('an agent that a tool runs', () => {
  const inner = (
    turns: readonly ScriptedTurn[],
    options: Partial<Options> = {},
  ): { agent: Agent<unknown>; model: ScriptedModel } => {
    const model = modelOf(turns, { id: 'test/inner' })
    return { agent: agentOf({ name: 'Inner', model, ...options }), model }
  }
  const delegate = (...agents: Agent<unknown>[]): Tool =>
    makeTool('delegate', (_input, { signal }) => Promise.all(agents.map((agent) => agent.chat('Task', { signal }))))

  it('is paid for by the run that calls the tool', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 }
    const { agent } = inner([{ text: 'Found.', usage }])
    const result = await run({ model: modelOf([call('delegate'), 'Done.']), functions: [delegate(agent)] })
    expect(result).toMatchObject({ text: 'Done.', steps: 2, usage: { inputTokens: 1_020, outputTokens: 110 } })
    expect(result.cost?.usd).toBeCloseTo(2_040e-6 + 880e-6, 12)
  })

  it('shares its calls', async () => {
    const { agent, model } = inner(many(call('act')))
    const outer = modelOf([call('delegate'), 'Never.'])
    const result = await run({ model: outer, functions: [delegate(agent)], budget: { modelCalls: 5 } })
    expect(result.finishReason).toBe('budget')
    expect(outer.requests.length + model.requests.length).toBe(5)
    const bounded = inner(many(call('act')), { budget: { modelCalls: 2 } })
    const wide = await run({
      model: modelOf([call('delegate'), 'Done.']),
      functions: [delegate(bounded.agent)],
      budget: { modelCalls: 5 },
    })
    expect(wide.text).toBe('Done.')
    expect(bounded.model.requests).toHaveLength(2)
  })

  it('shares its tool calls', async () => {
    let acted = 0
    const counted = makeTool('act', () => ++acted)
    const { agent } = inner(many(call('act')), { functions: [counted] })
    const result = await run({
      model: modelOf([call('delegate'), call('delegate')]),
      functions: [delegate(agent)],
      budget: { toolCalls: 4 },
    })
    expect(result.finishReason).toBe('budget')
    expect(acted).toBe(3)
  })

  it('shares its time', async () => {
    passTime()
    const { agent } = inner([lasting(5_000)])
    const model = modelOf([call('delegate'), 'Never.'])
    const result = await run({ model, functions: [delegate(agent)], budget: { seconds: 5 } })
    expect(result.finishReason).toBe('budget')
  })

  it('needs a price where the outer run is bounded in US dollars', async () => {
    const model = scriptedModel(['Never.'])
    const outer = modelOf([call('delegate'), 'Done.'])
    const result = await run({ model: outer, functions: [delegate(agentOf({ model }))], budget: { usd: 1 } })
    expect(result.messages).toMatchObject([
      {},
      {},
      { role: 'tool', isError: true, content: expect.stringContaining('needs the price of "test/scripted"') },
      {},
    ])
    expect(model.requests).toEqual([])
  })

  it('reserves before it begins, also beside others', async () => {
    const worst = estimateRequest({ messages: [{ role: 'user', content: 'Task' }] }, info) + 1_000
    let inFlight = 0
    let most = 0
    const slow: ScriptedTurn = async () => {
      most = Math.max(most, ++inFlight)
      await sleep(5)
      inFlight--
      return 'Found.'
    }
    const agents = many('', 6).map(() => inner([slow], { functions: [] }).agent)
    const each = makeTool('delegate', (_input, { signal }) =>
      Promise.all(agents.map((agent) => agent.chat('Task', { signal }).catch((error) => error.code))),
    )
    const outer = modelOf([call('delegate'), 'Done.'], { info: { ...info, maxOutputTokens: 300 } })
    const first = estimateRequest(
      { messages: [{ role: 'user', content: 'Go' }], tools: outer.requests[0]?.tools ?? [] },
      info,
    )
    const result = await run({ model: outer, functions: [each], budget: { tokens: 15 + first + 3 * worst + 100 } })
    const found = result.messages.find(({ role }) => role === 'tool')?.content
    expect(most).toBe(3)
    // The others wait: what was reserved for the first ones was far more than they used.
    expect(JSON.parse(String(found))).toEqual(Array.from({ length: 6 }, () => 'Found.'))
  })

  it('is paid for also when the outer run is aborted in the middle of it', async () => {
    const controller = new AbortController()
    const innermost = agentOf({ name: 'Innermost', model: telling('Once upon a time', () => controller.abort()) })
    const between = inner([call('delegate')], { functions: [delegate(innermost)] })
    const outer = agentOf({ model: modelOf([call('delegate')]), functions: [delegate(between.agent)] })
    const { finishReason, usage, cost } = await outer.stream('Go', { signal: controller.signal }).result
    const prompt = estimateRequest({ messages: [{ role: 'user', content: 'Task' }] }, info)
    expect(finishReason).toBe('aborted')
    expect(usage.estimated).toBe(true)
    expect(usage.inputTokens).toBeGreaterThanOrEqual(20 + prompt)
    expect(cost).toMatchObject({ estimated: true })
  })

  it('counts as well when a hook runs it', async () => {
    const { agent, model } = inner(many('Looks fine.'))
    const ask = async (): Promise<void> => void (await agent.chat('Is this fine?'))
    const hooks = { input: ask, beforeModel: ask, beforeTool: ask, output: ask }
    const result = await run({ model: modelOf([call('act'), 'Done.']), hooks })
    expect(model.requests).toHaveLength(5)
    expect(result.usage.totalTokens).toBe(7 * 15)
    const bounded = await run({ model: modelOf([call('act'), 'Done.']), hooks, budget: { modelCalls: 3 } })
    expect(bounded.finishReason).toBe('budget')
    expect(model.requests).toHaveLength(5 + 2)
  })

  it('does not count in runs that it does not belong to', async () => {
    const { agent } = inner(['Alone.'])
    const [outer, alone] = await Promise.all([run({ model: modelOf(['Done.']) }), agent.stream('Task').result])
    expect([outer.usage.totalTokens, alone.usage.totalTokens]).toEqual([15, 15])
  })
})

describe('a run that waits for approval', () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 'paid',
  })

  it('continues with the budget that it had left, in any process', async () => {
    const sessions = memorySessions()
    const parts = { functions: [pay], sessions, budget: { modelCalls: 9 } }
    const first = await run({ model: modelOf([call('pay')]), ...parts }, { budget: { modelCalls: 2 } })
    expect(first).toMatchObject({ finishReason: 'approval', usage: { totalTokens: 15 } })
    const model = modelOf(many(call('pay')))
    const decisions = { [first.approvals[0]?.approvalId ?? '']: true as const }
    const second = await agentOf({ model, ...parts }).resume(first.runId, decisions).result
    expect(second).toMatchObject({ finishReason: 'approval', usage: { totalTokens: 30 }, steps: 2 })
    const again = { [second.approvals[0]?.approvalId ?? '']: true as const }
    const third = await agentOf({ model, ...parts }).resume(first.runId, again).result
    expect(third).toMatchObject({ finishReason: 'budget', usage: { totalTokens: 30 }, cost: { usd: 120e-6 } })
    expect(model.requests).toHaveLength(1)
  })

  it('continues for the time that it had left', async () => {
    passTime()
    const parts = { functions: [pay], sessions: memorySessions() }
    const slowly: ScriptedTurn = async () => {
      vi.advanceTimersByTime(4_000)
      return call('pay')
    }
    const first = await run({ model: modelOf([slowly]), ...parts }, { budget: { seconds: 5 } })
    expect(first.finishReason).toBe('approval')
    vi.advanceTimersByTime(60_000)
    const model = modelOf([lasting(999), lasting(1)])
    const decisions = { [first.approvals[0]?.approvalId ?? '']: true as const }
    const second = agentOf({ model, ...parts }).resume(first.runId, decisions).result
    while (model.requests.length === 0) await nextTurnOfTheLoop()
    expect(await Promise.race([second, nextTurnOfTheLoop('still running')])).toBe('still running')
    vi.advanceTimersByTime(1)
    expect(await second).toMatchObject({ finishReason: 'budget' })
  })
})

/** A run whose every part is by chance, and what its models and tools see of it. */
function anyRun(random: () => number): { budget: Budget; agent: Agent<unknown>; witness: Witness } {
  const below = (most: number): number => Math.floor(random() * most)
  const figures: Required<Budget> = {
    usd: random() * random() * 0.2,
    tokens: below(40_000),
    modelCalls: below(12),
    toolCalls: below(8),
    seconds: 60,
  }
  const budget: Budget = Object.fromEntries(Object.entries(figures).filter(() => random() < 0.5))
  const witness: Witness = { modelCalls: 0, toolCalls: 0, tokens: 0, usd: 0, problems: [] }
  const inFlight = new Set<{ tokens: number; usd: number }>()
  const tools = ['act', 'delegate']

  const answer = async (request: ModelRequest): Promise<ScriptedTurn> => {
    const inputTokens = estimateRequest(request, info)
    const outputTokens = request.maxOutputTokens ?? info.maxOutputTokens ?? 0
    const worst = { tokens: inputTokens + outputTokens, usd: worstCostOf({ inputTokens, outputTokens }, price) }
    inFlight.add(worst)
    witness.modelCalls++
    const tokens = [...inFlight].reduce((sum, call) => sum + call.tokens, witness.tokens)
    const usd = [...inFlight].reduce((sum, call) => sum + call.usd, witness.usd)
    if (tokens > (budget.tokens ?? Number.POSITIVE_INFINITY)) witness.problems.push(`${tokens} tokens`)
    if (usd > (budget.usd ?? Number.POSITIVE_INFINITY) + 1e-12) witness.problems.push(`${usd} US dollars`)
    await sleep(below(2))
    inFlight.delete(worst)
    if (random() < 0.15) return busy
    const names =
      request.tools && random() < 0.7
        ? Array.from({ length: 1 + below(3) }, () => tools[below(request.tools?.length ?? 1)] ?? 'act')
        : []
    const text = random() < 0.5 || names.length === 0 ? 'word '.repeat(below(20) + 1) : ''
    const toolCalls = names.map((name) => ({ name }))
    if (random() < 0.1) return { text, toolCalls, error: busy }
    const usage = { inputTokens: below(inputTokens), outputTokens: below(outputTokens) }
    witness.tokens += usage.inputTokens + usage.outputTokens
    witness.usd += (usage.inputTokens * 2 + usage.outputTokens * 8) / 1e6
    return { text, toolCalls, usage: { ...usage, totalTokens: usage.inputTokens + usage.outputTokens } }
  }
  const counted = makeTool('act', () => {
    witness.toolCalls++
    return 'word '.repeat(below(100))
  })
  const modelOfChance = (id: string): ScriptedModel => scriptedModel(many(answer, 200), { id, info })
  const helper = agentOf({ name: 'Helper', model: modelOfChance('t/helper'), functions: [counted] })
  const delegate = makeTool('delegate', async () => {
    witness.toolCalls++
    const settled = await Promise.allSettled(Array.from({ length: 1 + below(3) }, () => helper.chat('Task')))
    return settled.map(({ status }) => status)
  })
  const model = random() < 0.5 ? modelOfChance('t/a') : [modelOfChance('t/a'), modelOfChance('t/b')]
  return { budget, witness, agent: agentOf({ model, functions: [counted, delegate], budget, maxSteps: 200 }) }
}

type Witness = { modelCalls: number; toolCalls: number; tokens: number; usd: number; problems: string[] }
