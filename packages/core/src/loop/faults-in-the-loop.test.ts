import { type ScriptedAnswer, type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  Agent,
  type AgentEvent,
  AgentKitError,
  type AgentOptions,
  type ErrorCode,
  type Model,
  type ModelInfo,
  type ModelRequest,
  memorySessions,
  type RunOptions,
  type RunResult,
  type Tool,
  tool,
  validateTranscript,
} from '../index.ts'

const makeTool = (name: string, execute: Tool['execute'], timeoutMs?: number): Tool =>
  tool({ name, description: 'Does it.', input: { type: 'object' }, execute, ...(timeoutMs && { timeoutMs }) })
const fail = (code: ErrorCode, retryable = false, more: { retryAfterMs?: number } = {}): AgentKitError =>
  new AgentKitError(code, 'It failed.', { retryable, ...more })
const busy = fail('overloaded', true)
const gone = fail('model-not-found')
const overflow = fail('context-overflow')

type Options = Partial<AgentOptions<unknown>> & Pick<AgentOptions<unknown>, 'model'>
type Watched = { result: RunResult<unknown>; events: AgentEvent[]; agent: Agent<unknown> }

const agentOf = (options: Options): Agent<unknown> =>
  new Agent({ name: 'Test', functions: [], retry: { firstWaitMs: 0 }, ...options })

async function watch(options: Options, runOptions?: RunOptions): Promise<Watched> {
  const agent = agentOf(options)
  const run = agent.stream('Go', runOptions)
  const events = await Array.fromAsync(run)
  return { result: await run.result, events, agent }
}

afterEach(() => void vi.useRealTimers())

/** The types of events, deltas of one text as one. */
function typesOf(events: readonly AgentEvent[]): string[] {
  return events.map(({ type }) => type).filter((type, index, all) => type !== 'text-delta' || all[index - 1] !== type)
}

/** The answer as a reader shows it, who removes the text of a step that begins again. */
function shownText(events: readonly AgentEvent[]): string {
  let text = ''
  for (const event of events) {
    if (event.type === 'step-start' || event.type === 'step-restart') text = ''
    if (event.type === 'text-delta') text += event.text
  }
  return text
}

/** Each way in which an attempt may fail. */
const faults: { name: string; turn: ScriptedTurn; code: ErrorCode; retried: boolean; fallsBack: boolean }[] = [
  ...(['rate-limit', 'overloaded', 'provider-error', 'network', 'timeout', 'incomplete-stream'] as const).flatMap(
    (code) => [
      { name: `${code} before a word`, turn: fail(code, true), code, retried: true, fallsBack: true },
      {
        name: `${code} in mid-stream`,
        turn: { text: 'Half an ans', error: fail(code, true) },
        code,
        retried: true,
        fallsBack: true,
      },
    ],
  ),
  {
    name: 'a break after a tool call was emitted',
    turn: { text: 'Half', toolCalls: [{ name: 'act', callId: 'lost' }], error: fail('network', true) },
    code: 'network',
    retried: true,
    fallsBack: true,
  },
  {
    name: 'a tool call that cannot be read',
    turn: fail('invalid-tool-call'),
    code: 'invalid-tool-call',
    retried: true,
    fallsBack: true,
  },
  { name: 'no quota', turn: fail('quota'), code: 'quota', retried: false, fallsBack: true },
  { name: 'an unknown model', turn: gone, code: 'model-not-found', retried: false, fallsBack: true },
  { name: 'a refused key', turn: fail('auth'), code: 'auth', retried: false, fallsBack: false },
  { name: 'a bad request', turn: fail('bad-request'), code: 'bad-request', retried: false, fallsBack: false },
  { name: 'a refused request', turn: fail('content-filter'), code: 'content-filter', retried: false, fallsBack: false },
  {
    name: 'an error of its own',
    turn: new TypeError('Oops'),
    code: 'provider-error',
    retried: false,
    fallsBack: false,
  },
]
const steps = [1, 2, 3, 4]
const atEachStep = faults.flatMap((fault) => steps.map((step) => ({ ...fault, step })))

describe('a fault', () => {
  // Three steps with calls, then the answer. A call that runs twice would be seen by its number.
  const rig = (): { act: Tool; turns: ScriptedTurn[]; acted: number[] } => {
    const acted: number[] = []
    const act = tool({
      name: 'act',
      description: 'Does it.',
      input: { type: 'object' },
      execute: (input) => void acted.push((input as { n: number }).n),
    })
    const turn = (n: number): ScriptedAnswer => ({
      text: `Step. `,
      toolCalls: [
        { name: 'act', input: { n } },
        { name: 'act', input: { n: n + 10 } },
      ],
    })
    return { act, acted, turns: [turn(1), turn(2), turn(3), 'Done.'] }
  }
  const expectedCalls = (stepsDone: number): number[] => [1, 2, 3].slice(0, stepsDone).flatMap((n) => [n, n + 10])

  it.each(atEachStep.filter(({ retried }) => retried))(
    'is tried again: $name, at step $step',
    async ({ turn, code, step }) => {
      const { act, acted, turns } = rig()
      const model = scriptedModel(turns.toSpliced(step - 1, 0, turn))
      const { result, events } = await watch({ model, functions: [act] })
      expect(result).toMatchObject({ text: 'Done.', finishReason: 'stop', steps: 4 })
      expect(result.error).toBeUndefined()
      expect(acted).toEqual(expectedCalls(3))
      expect(model.requests).toHaveLength(5)
      expect(model.requests[step]).toEqual(model.requests[step - 1])
      expect(events.filter(({ type }) => type === 'step-restart')).toMatchObject([{ step, error: { code } }])
      expect(events.filter(({ type }) => type === 'step-start')).toHaveLength(4)
      expect(shownText(events)).toBe('Done.')
      expect(JSON.stringify(result.messages)).not.toContain('Half')
      expect(validateTranscript(result.messages)).toEqual([])
    },
  )

  it.each(atEachStep.filter(({ fallsBack }) => fallsBack))(
    'falls back to the next model: $name, at step $step',
    async ({ turn, code, step, retried }) => {
      const { act, acted, turns } = rig()
      const first = scriptedModel([...turns.slice(0, step - 1), turn, turn, turn], { id: 't/first' })
      const second = scriptedModel(turns.slice(step - 1), { id: 't/second' })
      const { result, events } = await watch({ model: [first, second], functions: [act] })
      expect(result).toMatchObject({ text: 'Done.', finishReason: 'stop', steps: 4 })
      expect(acted).toEqual(expectedCalls(3))
      expect(first.requests).toHaveLength(step - 1 + (retried ? 2 : 1))
      expect(events.filter(({ type }) => type === 'model-fallback')).toMatchObject([
        { from: 't/first', to: 't/second', error: { code } },
      ])
      const answered = events.flatMap((event) => (event.type === 'step-end' ? [event.model] : []))
      expect(answered).toEqual(steps.map((each) => (each < step ? 't/first' : 't/second')))
      expect(shownText(events)).toBe('Done.')
      expect(JSON.stringify(result.messages)).not.toContain('Half')
      expect(validateTranscript(result.messages)).toEqual([])
    },
  )

  it.each(atEachStep)(
    'ends the run once nothing helps: $name, at step $step',
    async ({ turn, code, step, retried }) => {
      const { act, acted, turns } = rig()
      const sessions = memorySessions()
      const model = scriptedModel([...turns.slice(0, step - 1), ...Array.from({ length: 10 }, () => turn)])
      const { result, events } = await watch(
        { model, functions: [act], sessions, retry: { attempts: 3, firstWaitMs: 0 } },
        { sessionId: 's' },
      )
      expect(result).toMatchObject({ finishReason: 'error', error: { code }, steps: step - 1 })
      expect(model.requests).toHaveLength(step - 1 + (retried ? 3 : 1))
      expect(acted).toEqual(expectedCalls(step - 1))
      expect(events.filter(({ type }) => type === 'step-restart')).toHaveLength(retried ? 2 : 0)
      expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'error', error: { code } })
      expect(validateTranscript(result.messages)).toEqual([])
      const stored = await sessions.load({ agentId: 'test', userId: 'default', sessionId: 's' })
      expect(stored?.messages).toEqual(result.messages)
    },
  )

  it('is emitted where it occurs: the step restarts, and the run continues', async () => {
    const { act, turns } = rig()
    const model = scriptedModel([turns[0] as ScriptedTurn, { text: 'Half an ans', error: busy }, 'Done.'])
    const { events } = await watch({ model, functions: [act] })
    expect(typesOf(events)).toEqual([
      ...['run-start', 'step-start', 'text-delta', 'tool-call', 'tool-call', 'tool-result', 'tool-result', 'step-end'],
      ...['step-start', 'text-delta', 'step-restart', 'text-delta', 'step-end', 'run-end'],
    ])
  })

  it('of one model is emitted before the step restarts with the next', async () => {
    const models = [
      scriptedModel([{ text: 'Half', error: gone }], { id: 't/a' }),
      scriptedModel(['Done.'], { id: 't/b' }),
    ]
    const { events } = await watch({ model: models })
    expect(typesOf(events)).toEqual([
      ...[
        'run-start',
        'step-start',
        'text-delta',
        'model-fallback',
        'step-restart',
        'text-delta',
        'step-end',
        'run-end',
      ],
    ])
  })
})

describe('a model that never comes to an end', () => {
  it.each(['text-delta', 'reasoning-delta'] as const)('is cut off: %s', async (type) => {
    const model: Model = {
      id: 't/endless',
      async *stream() {
        for (;;) yield { type, text: 'x'.repeat(1_000_000) }
      },
    }
    const result = await agentOf({ model }).stream('Go').result
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'malformed-stream' } })
  })
})

describe('a retry', () => {
  it('has four attempts, unless the agent sets another number', async () => {
    for (const [retry, attempts] of [
      [{ firstWaitMs: 0 }, 4],
      [{ firstWaitMs: 0, attempts: 2 }, 2],
      [{ attempts: 1 }, 1],
    ] as const) {
      const model = scriptedModel(Array.from({ length: 9 }, () => busy))
      const { result } = await watch({ model, retry })
      expect(result.error?.code).toBe('overloaded')
      expect(model.requests).toHaveLength(attempts)
    }
    expect(() => agentOf({ model: scriptedModel([]), retry: { attempts: 0 } })).toThrow('`retry.attempts`')
  })

  it('counts the attempts of each step on its own', async () => {
    const act = makeTool('act', () => 'acted')
    const model = scriptedModel([busy, busy, busy, { toolCalls: [{ name: 'act' }] }, busy, busy, busy, 'Done.'])
    expect((await watch({ model, functions: [act] })).result.text).toBe('Done.')
  })

  it('waits as long as the provider asks', async () => {
    vi.useFakeTimers()
    const model = scriptedModel([fail('rate-limit', true, { retryAfterMs: 40_000 }), 'Done.'])
    const result = agentOf({ model }).stream('Go').result
    await vi.advanceTimersByTimeAsync(39_999)
    expect(model.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await result).toMatchObject({ text: 'Done.' })
  })

  it('that a budget ends names the earlier failure', async () => {
    const model = scriptedModel([fail('overloaded', true), fail('overloaded', true), 'Never.'])
    const { result } = await watch({ model, budget: { modelCalls: 2 }, retry: { firstWaitMs: 0 } })
    expect(result.finishReason).toBe('budget')
    expect(result.warnings.at(-1)).toMatch(/2 of 2 model calls were made\. The last attempt failed: /)
  })

  it('does not wait longer than the bound, even if the provider asks for it', async () => {
    const retry = { longestWaitMs: 1, longestRetryAfterMs: 1_000 }
    const model = scriptedModel([fail('rate-limit', true, { retryAfterMs: 3_600_000 }), 'Done.'])
    expect((await watch({ model, retry })).result.text).toBe('Done.')
  })

  it('is cut short by an abort, and its result has no error of the model', async () => {
    const controller = new AbortController()
    const model = scriptedModel([
      { text: 'Half an ans', error: fail('rate-limit', true, { retryAfterMs: 50_000 }) },
      'Never.',
    ])
    const run = agentOf({ model }).stream('Go', { signal: controller.signal })
    for await (const event of run) if (event.type === 'step-restart') setTimeout(() => controller.abort(), 5)
    expect(await run.result).toMatchObject({
      finishReason: 'aborted',
      error: { code: 'aborted' },
      text: '',
      usage: { estimated: true },
    })
    expect(model.requests).toHaveLength(1)
  })

  it('is cut short by the deadline of the run', async () => {
    const model = scriptedModel([fail('rate-limit', true, { retryAfterMs: 50_000 })])
    const { result } = await watch({ model }, { timeoutMs: 20 })
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'timeout', phase: 'run' } })
  })

  it('does not contain the error of a hook or of the store', async () => {
    let asked = 0
    const beforeModel = (): never => {
      asked++
      throw busy
    }
    const [first, second] = [scriptedModel([], { id: 't/a' }), scriptedModel(['Never.'], { id: 't/b' })]
    const { result, events } = await watch({ model: [first, second], hooks: { beforeModel } })
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'overloaded' } })
    expect(asked).toBe(1)
    expect(typesOf(events)).toEqual(['run-start', 'step-start', 'run-end'])
  })

  it('is made of a model that cannot be loaded', async () => {
    let loads = 0
    const late: Model = {
      ...scriptedModel(['Done.'], { id: 't/late' }),
      async load() {
        if (++loads < 3) throw fail('network', true)
      },
    }
    expect((await watch({ model: late })).result).toMatchObject({ text: 'Done.', finishReason: 'stop' })
    const broken: Model = { ...late, load: () => Promise.reject(new Error('no file')) }
    expect((await watch({ model: broken })).result.error).toMatchObject({
      code: 'provider-error',
      message: 'The model "t/late" failed: no file',
    })
  })
})

describe('a fallback', () => {
  const chain = (...turns: readonly (readonly ScriptedTurn[])[]): ScriptedModel[] =>
    turns.map((each, index) => scriptedModel(each, { id: `t/${'abc'[index]}` }))
  const fallbacks = (events: readonly AgentEvent[]): string[] =>
    events.flatMap((event) => (event.type === 'model-fallback' ? [`${event.from} → ${event.to}`] : []))

  it('continues through the chain, and ends with the error of the last model', async () => {
    const down = Array.from({ length: 4 }, () => busy)
    const models = chain([fail('quota')], [gone], down)
    const { result, events } = await watch({ model: models })
    expect(fallbacks(events)).toEqual(['t/a → t/b', 't/b → t/c'])
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'overloaded' } })
    expect(models.map(({ requests }) => requests.length)).toEqual([1, 1, 4])
  })

  it('waits for a model with a fallback only if the wait is short', async () => {
    const models = chain([fail('rate-limit', true, { retryAfterMs: 5_000 })], ['Done.'])
    const { result, events } = await watch({ model: models })
    expect(result.text).toBe('Done.')
    expect(fallbacks(events)).toEqual(['t/a → t/b'])
    expect(models[0]?.requests).toHaveLength(1)
  })

  it('is kept for the steps after it', async () => {
    const act = makeTool('act', () => 'acted')
    const models = chain([gone], [{ toolCalls: [{ name: 'act' }] }, { toolCalls: [{ name: 'act' }] }, 'Done.'])
    const { result, events } = await watch({ model: models, functions: [act] })
    expect(result).toMatchObject({ text: 'Done.', steps: 3 })
    expect(fallbacks(events)).toEqual(['t/a → t/b'])
    expect(models[0]?.requests).toHaveLength(1)
  })

  it('may fail in a later step, and then falls back to the next model, or an earlier one', async () => {
    const act = makeTool('act', () => 'acted')
    const models = chain([busy, busy, 'Done.'], [{ toolCalls: [{ name: 'act' }] }, gone])
    const { result, events } = await watch({ model: models, functions: [act] })
    expect(result.text).toBe('Done.')
    expect(fallbacks(events)).toEqual(['t/a → t/b', 't/b → t/a'])
  })

  it('is not kept by the next run, which begins with the first model', async () => {
    const models = chain([gone, 'From a.'], ['From b.'])
    const agent = agentOf({ model: models })
    expect(await agent.chat('Go')).toBe('From b.')
    expect(await agent.chat('Go')).toBe('From a.')
  })

  it('skips a model that has failed in three runs, and says so', async () => {
    const models = chain([gone, gone, gone, 'Never.'], ['1', '2', '3', '4'])
    const agent = agentOf({ model: models })
    for (const answer of ['1', '2', '3']) expect(await agent.chat('Go')).toBe(answer)
    const run = agent.stream('Go')
    const events = await Array.fromAsync(run)
    expect((await run.result).text).toBe('4')
    expect(typesOf(events)).toEqual(['run-start', 'model-fallback', 'step-start', 'text-delta', 'step-end', 'run-end'])
    expect(events[1]).toMatchObject({ from: 't/a', to: 't/b', error: { code: 'model-not-found' } })
    expect(models[0]?.requests).toHaveLength(3)
  })

  it('does not skip one that has answered in between', async () => {
    const models = chain([gone, gone, 'From a.', gone, gone, 'From a.'], ['1', '2', '3', '4'])
    const agent = agentOf({ model: models })
    for (const answer of ['1', '2', 'From a.', '3', '4', 'From a.']) expect(await agent.chat('Go')).toBe(answer)
  })

  it('does not count runs that end with their budget', async () => {
    const models = chain(['Hi.'], ['Never.'])
    const agent = agentOf({ model: models })
    for (let run = 0; run < 4; run++) await agent.stream('Go', { budget: { tokens: 1 } }).result
    expect(await agent.chat('Go')).toBe('Hi.')
  })

  it('refuses a chain that has one model twice', () => {
    const model = scriptedModel([])
    expect(() => agentOf({ model: [model, model] })).toThrow('twice')
    expect(() => agentOf({ model: [] })).toThrow('`model`')
  })
})

describe('a conversation that is too long for a model', () => {
  const sized = (id: string, contextWindow: number | undefined, turns: readonly ScriptedTurn[]): ScriptedModel => {
    const info: ModelInfo = contextWindow === undefined ? {} : { contextWindow }
    return scriptedModel(turns, { id, info })
  }
  const isStep = ({ messages }: ModelRequest): boolean => messages.at(-1)?.content === 'Go'
  /** Turns for steps, also when summaries are requested between them. */
  const asked = (turns: readonly ScriptedTurn[], summary: ScriptedTurn = 'A summary.'): ScriptedTurn[] => {
    const left = [...turns]
    return Array.from(
      { length: 20 },
      () => (request: ModelRequest) => (isStep(request) ? (left.shift() ?? busy) : summary),
    )
  }
  // More than half of it is old, so that there is something to leave out.
  const history = Array.from({ length: 20 }, (_, turn) => [
    { role: 'user' as const, content: `Question ${turn}: ${'word '.repeat(40)}` },
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: `Answer ${turn}. ${'word '.repeat(40)}` }] },
  ]).flat()

  it('goes to the next one with more room, as it is', async () => {
    const [small, same, large] = [
      sized('t/small', 100_000, [overflow]),
      sized('t/same', 100_000, []),
      sized('t/large', 200_000, ['Done.']),
    ]
    const { result, events } = await watch({ model: [small, same, large] }, { history })
    expect(result.text).toBe('Done.')
    expect(events.filter(({ type }) => type === 'model-fallback')).toMatchObject([{ from: 't/small', to: 't/large' }])
    expect(large.requests[0]?.messages).toEqual(small.requests[0]?.messages)
  })

  it('goes to the one whose room is known only when it is asked for', async () => {
    const small = sized('t/small', 100_000, [overflow])
    const large = sized('t/large', 200_000, ['Done.'])
    const loaded: { info?: ModelInfo } = {}
    const late: Model = {
      id: large.id,
      get info() {
        return loaded.info ?? {}
      },
      async load() {
        loaded.info = { contextWindow: 200_000 }
      },
      stream: large.stream,
    }
    expect((await watch({ model: [small, late] }, { history })).result.text).toBe('Done.')
  })

  it('is shortened once where no other has more room', async () => {
    const model = sized('t/small', undefined, asked([overflow, 'Done.']))
    const { result, events } = await watch({ model }, { history })
    expect(result).toMatchObject({ text: 'Done.', finishReason: 'stop', steps: 1 })
    expect(events.filter(({ type }) => type === 'step-restart')).toMatchObject([
      { error: { code: 'context-overflow' } },
    ])
    const [before, after] = model.requests.filter(isStep)
    expect(JSON.stringify(after).length).toBeLessThan(JSON.stringify(before).length * 0.7)
  })

  it('ends the run when it is still too long', async () => {
    const model = sized('t/small', undefined, asked([overflow, overflow, 'Never.']))
    const { result } = await watch({ model }, { history })
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'context-overflow' } })
    expect(model.requests.filter(isStep)).toHaveLength(2)
  })

  it('ends the run when nothing can be left out', async () => {
    const model = sized('t/small', undefined, [overflow])
    const { result } = await watch({ model })
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'context-overflow' } })
    expect(model.requests).toHaveLength(1)
  })

  it('has its summary made by whichever model can, and its step by the run’s own', async () => {
    const first = sized('t/a', undefined, asked([overflow, 'Done.'], gone))
    const second = sized('t/b', undefined, asked([]))
    const { result, events } = await watch({ model: [first, second] }, { history })
    expect(result.text).toBe('Done.')
    expect(events.filter(({ type }) => type === 'model-fallback')).toEqual([])
    expect(events.find(({ type }) => type === 'step-end')).toMatchObject({ model: 't/a' })
    expect(second.requests.length).toBeGreaterThan(0)
    expect(second.requests.filter(isStep)).toEqual([])
  })
})

describe('a deadline', () => {
  // Time passes only when a test advances it. Immediates stay: they are the event loop's.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))

  /** A model that says so much, and then nothing for so long. */
  const falling = (text: string, silenceMs: number, onAbort?: (signal: AbortSignal) => void): Model => ({
    id: 't/silent',
    async *stream(_request, signal) {
      signal.addEventListener('abort', () => onAbort?.(signal))
      if (text !== '') yield { type: 'text-delta', text }
      await undefined
      vi.advanceTimersByTime(silenceMs)
      await new Promise(() => {})
    },
  })

  it('of a silent model ends its attempt, which is tried again', async () => {
    const silence: ScriptedTurn = async () => {
      vi.advanceTimersByTime(9_000)
      return new Promise<never>(() => {})
    }
    const model = scriptedModel([silence, 'Done.'])
    const run = agentOf({ model, modelTimeoutMs: 9_000, retry: { firstWaitMs: 0 } }).stream('Go')
    const events: AgentEvent[] = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'step-restart') setImmediate(() => vi.advanceTimersByTime(0))
    }
    expect(await run.result).toMatchObject({ text: 'Done.', usage: { estimated: true } })
    const restart = { step: 1, error: { code: 'timeout', phase: 'first-byte' } }
    expect(events.filter(({ type }) => type === 'step-restart')).toMatchObject([restart])
  })

  it('of one that stops in the middle ends in an idle timeout', async () => {
    const { result } = await watch({ model: falling('Once', 9_000), modelTimeoutMs: 9_000, retry: { attempts: 1 } })
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'timeout', phase: 'idle' }, text: 'Once' })
  })

  it('aborts the signal of the model, with the reason', async () => {
    const phases: unknown[] = []
    const model = falling('Once', 9_000, ({ reason }) => phases.push(reason.phase))
    await watch({ model, modelTimeoutMs: 9_000, retry: { attempts: 1 } })
    await watch({ model, timeoutMs: 9_000 })
    expect(phases).toEqual(['idle', 'run'])
  })

  it('of a tool ends only that call, and the model receives the reason', async () => {
    const slow = makeTool('slow', () => new Promise(() => {}), 9_000)
    const quick = makeTool('quick', () => 'quick')
    const model = scriptedModel([{ toolCalls: [{ name: 'quick' }, { name: 'slow' }] }, 'Done.'])
    const run = agentOf({ model, functions: [slow, quick] }).stream('Go')
    const events: AgentEvent[] = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'tool-result') vi.advanceTimersByTime(9_000)
    }
    expect((await run.result).text).toBe('Done.')
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { name: 'quick', isError: false },
      { name: 'slow', isError: true, output: 'The tool did not finish within 9000 ms.' },
    ])
  })

  it('of the run ends it wherever it is', async () => {
    const slow = makeTool('slow', async () => {
      await undefined
      vi.advanceTimersByTime(9_000)
      return new Promise(() => {})
    })
    const inModel = await watch({ model: falling('Once', 9_000), timeoutMs: 9_000 })
    const inTool = await watch({
      model: scriptedModel([{ toolCalls: [{ name: 'slow' }] }]),
      functions: [slow],
      timeoutMs: 9_000,
    })
    for (const { result } of [inModel, inTool]) {
      expect(result).toMatchObject({ finishReason: 'error', error: { code: 'timeout', phase: 'run' } })
    }
    expect([inModel.result.text, inTool.result.steps]).toEqual(['Once', 1])
  })
})
