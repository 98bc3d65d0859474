import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { memoryDisk } from '../../__fixtures__/memory-runs.ts'
import {
  Agent,
  type AgentOptions,
  type Message,
  type RunResult,
  type RunStore,
  type Tool,
  type ToolContext,
  tool,
} from '../../index.ts'

const input = { type: 'object' }
const makeTool = (execute: Tool['execute'], options: { name?: string; timeoutMs?: number } = {}): Tool =>
  tool({ name: 'act', description: 'Acts.', ...options, input, execute })

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

describe('calls of one step', () => {
  it('run side by side, eight at once', async () => {
    let running = 0
    let most = 0
    const act = makeTool(async () => {
      most = Math.max(most, ++running)
      await sleep(5)
      running--
    })
    const result = await runCalls(
      [act],
      Array.from({ length: 30 }, () => ({ name: 'act' })),
    )
    expect(most).toBe(8)
    expect(toolMessages(result)).toHaveLength(30)
    expect(toolMessages(result).every(({ content }) => content === 'done')).toBe(true)
  })

  it('take the time of the tool, without that of the store', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { store } = memoryDisk().open()
    const { append } = store.runs
    store.runs.append = (...entry) => {
      vi.advanceTimersByTime(700)
      return append(...entry)
    }
    const act = makeTool(() => void vi.advanceTimersByTime(20))
    const model = scriptedModel([{ toolCalls: [{ name: 'act' }] }, { toolCalls: [{ name: 'act' }] }, 'Done.'])
    const agent = new Agent({ name: 'Test', functions: [act], model, sessions: store })
    const times: number[] = []
    for await (const event of agent.stream('Go', { sessionId: 's' })) {
      if (event.type === 'tool-result') times.push(event.durationMs)
    }
    expect(times).toEqual([20, 20])
  })

  it('are emitted in the order of the calls, though they finish in another', async () => {
    const finished: unknown[] = []
    const wait = tool({
      name: 'wait',
      description: 'd',
      input: z.object({ ms: z.number() }),
      async execute({ ms }) {
        await sleep(ms)
        finished.push(ms)
        return `${ms}`
      },
    })
    const waits = [60, 5, 30]
    const model = scriptedModel([{ toolCalls: waits.map((ms) => ({ name: 'wait', input: { ms } })) }, 'Done.'])
    const run = new Agent({ name: 'Test', functions: [wait], model }).stream('Go')
    const emitted: unknown[] = []
    for await (const event of run) if (event.type === 'tool-result') emitted.push(event.output)
    expect(finished).toEqual([5, 30, 60])
    expect(emitted).toEqual(['60', '5', '30'])
    expect(toolMessages(await run.result).map(({ content }) => content)).toEqual(['60', '5', '30'])
    expect(model.requests[1]?.messages.slice(-3)).toMatchObject([
      { content: '60' },
      { content: '5' },
      { content: '30' },
    ])
  })

  it('continue when one of them fails', async () => {
    const act = makeTool(({ bad }: { bad?: boolean }) => {
      if (bad) throw new Error('broken')
      return 'fine'
    })
    const result = await runCalls([act], [{ name: 'act', input: { bad: true } }, { name: 'act' }])
    expect(toolMessages(result)).toMatchObject([{ content: 'broken', isError: true }, { content: 'fine' }])
  })
})

describe('the context', () => {
  it('gives a tool the run that calls it', async () => {
    let seen: ToolContext | undefined
    const act = makeTool((_input, context) => {
      seen = context
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'act', callId: 'c7' }] }, 'Done.'])
    const run = new Agent({ name: 'Test', functions: [act], model }).stream('Go', { userId: 'ada', sessionId: 's1' })
    await run.result
    expect(seen).toMatchObject({ userId: 'ada', sessionId: 's1', runId: run.runId, callId: 'c7' })
    expect(seen?.signal.aborted).toBe(false)
  })

  it('has no sessionId outside a session, and the default user', async () => {
    let seen: ToolContext | undefined
    const act = makeTool((_input, context) => {
      seen = context
    })
    await runCalls([act], [{ name: 'act' }])
    expect(seen?.userId).toBe('default')
    expect(seen).not.toHaveProperty('sessionId')
  })
})

describe('a tool that takes too long', () => {
  it.each([
    ['the agent allows', { toolTimeoutMs: 20 }, {}],
    ['it allows itself', { toolTimeoutMs: 10_000 }, { timeoutMs: 20 }],
  ])('than %s is an error result, and its signal aborts', async (_name, agentOptions, toolOptions) => {
    let signal: AbortSignal | undefined
    const act = makeTool((_input, context) => {
      signal = context.signal
      return new Promise(() => {})
    }, toolOptions)
    const result = await runCalls([act], [{ name: 'act' }], agentOptions)
    expect(result.text).toBe('Done.')
    expect(toolMessages(result)).toMatchObject([{ isError: true, content: 'The tool did not finish within 20 ms.' }])
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ code: 'timeout', phase: 'tool' })
  })

  it("may take longer than the agent's limit if it sets its own", async () => {
    const act = makeTool(() => sleep(60, 'slow'), { timeoutMs: 5_000 })
    expect(toolMessages(await runCalls([act], [{ name: 'act' }], { toolTimeoutMs: 20 }))[0]?.content).toBe('slow')
  })

  it('counts from its beginning: not while the store notes the call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { store } = memoryDisk().open()
    const { runs } = store
    const append: RunStore['append'] = async (runId, entry) => {
      // As a database that is restarted.
      if (entry.calls) vi.advanceTimersByTime(40_000)
      await runs.append(runId, entry)
    }
    const act = makeTool(() => 'acted')
    const model = scriptedModel([{ toolCalls: [{ name: 'act' }] }, 'Done.'])
    const agent = new Agent({
      name: 'Test',
      functions: [act],
      model,
      sessions: { ...store, runs: { ...runs, append } },
    })
    const result = await agent.stream('Go', { sessionId: 's' }).result
    expect(toolMessages(result)).toMatchObject([{ content: 'acted' }])
  })

  it('does not share its timeout with the other calls', async () => {
    const slow = makeTool(() => new Promise(() => {}), { name: 'slow', timeoutMs: 20 })
    const fast = makeTool(() => sleep(60, 'fine'), { name: 'fast' })
    const result = await runCalls([slow, fast], [{ name: 'slow' }, { name: 'fast' }])
    expect(toolMessages(result)).toMatchObject([{ isError: true }, { content: 'fine' }])
  })

  it('leaves no timer and no listener behind when it was quick', async () => {
    const controller = new AbortController()
    const timersBefore = activeTimers()
    let during = 0
    const act = makeTool((_input, { signal }) => {
      signal.addEventListener('abort', () => {})
      during = activeTimers()
    })
    await runCalls([act], [{ name: 'act' }, { name: 'act' }], { timeoutMs: 60_000 }, controller.signal)
    expect(during).toBeGreaterThan(timersBefore)
    expect(activeTimers()).toBe(timersBefore)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})

it('leaves no listener on the run’s signal from step to step', async () => {
  const counts: number[] = []
  const step: ScriptedTurn = (_request, signal) => {
    counts.push(getEventListeners(signal, 'abort').length)
    return counts.length < 5 ? { toolCalls: [{ name: 'act' }, { name: 'act' }] } : 'Done.'
  }
  const model = scriptedModel(Array.from({ length: 5 }, () => step))
  await new Agent({ name: 'Test', functions: [makeTool(() => 'x')], model }).stream('Go').result
  expect(counts).toEqual(counts.map(() => counts[0]))
})

describe('an error that a tool throws', () => {
  it.each<[string, unknown, string]>([
    ['an error', new Error('no such city'), 'no such city'],
    ['an error without a message', new TypeError(), 'TypeError'],
    ['a string', 'out of order', 'out of order'],
    ['an empty string', '', 'The tool failed without a message.'],
    ['undefined', undefined, 'The tool failed without a message.'],
    ['null', null, 'The tool failed without a message.'],
    ['a number', 42, 'The tool failed without a message.'],
    ['an object with a message', { code: 409, message: 'sold out' }, 'sold out'],
    ['an object without a prototype', Object.create(null), 'The tool failed without a message.'],
  ])('is an error result for the model: %s', async (_name, thrown, content) => {
    for (const execute of [() => Promise.reject(thrown), makeThrower(thrown)]) {
      const result = await runCalls([makeTool(execute)], [{ name: 'act' }])
      expect(result).toMatchObject({ text: 'Done.', finishReason: 'stop' })
      expect(toolMessages(result)).toMatchObject([{ isError: true, content }])
    }
  })

  it('is redacted', async () => {
    vi.stubEnv('WEATHER_API_KEY', 'correct-horse-battery')
    const act = makeTool(makeThrower(new Error('GET /?key=correct-horse-battery: 401 for Bearer abcdefgh12345678')))
    const result = await runCalls([act], [{ name: 'act' }])
    expect(toolMessages(result)[0]?.content).toBe('GET /?key=[redacted]: 401 for [redacted]')
  })

  it('is cut when it is long', async () => {
    const result = await runCalls([makeTool(makeThrower(new Error('x'.repeat(300_000))))], [{ name: 'act' }])
    const content = String(toolMessages(result)[0]?.content)
    expect(content.length).toBeLessThanOrEqual(16_384)
    expect(content).toMatch(/\[cut: \d+ of 300000 characters shown\]$/)
  })

  it('is redacted also where it is cut', async () => {
    vi.stubEnv('WEATHER_API_KEY', 'correct-horse-battery')
    for (const before of [16_300, 16_320, 16_360, 16_380]) {
      const act = makeTool(makeThrower(new Error(`${'x'.repeat(before)}correct-horse-battery${'x'.repeat(100)}`)))
      const result = await runCalls([act], [{ name: 'act' }])
      expect(toolMessages(result)[0]?.content).not.toContain('correct')
    }
  })

  it('may come from its schema', async () => {
    const act = tool({
      name: 'act',
      description: 'd',
      input: z.object({}).refine(() => {
        throw new Error('the check failed')
      }),
      execute: () => 'never',
    })
    expect(toolMessages(await runCalls([act], [{ name: 'act' }]))).toMatchObject([
      { isError: true, content: 'the check failed' },
    ])
  })
})

describe('what a tool returns', () => {
  it.each<[string, unknown, Message['content']]>([
    ['null', null, 'no result'],
    ['undefined', undefined, 'done'],
    ['text', 'It rains.', 'It rains.'],
    ['a value', { rain: true }, '{"rain":true}'],
    ['a promise of a value', Promise.resolve([1, 2]), '[1,2]'],
  ])('is sent to the model: %s', async (_name, value, content) => {
    const result = await runCalls([makeTool(() => value)], [{ name: 'act' }])
    expect(toolMessages(result)).toMatchObject([{ content }])
    expect(toolMessages(result)[0]).not.toHaveProperty('isError')
  })

  it('may be text and images', async () => {
    const parts = [
      { type: 'text', text: 'The map:' },
      { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
    ]
    const result = await runCalls([makeTool(() => parts)], [{ name: 'act' }])
    expect(toolMessages(result)).toMatchObject([{ content: parts }])
  })

  it('comes from validated input: defaults and transforms are applied', async () => {
    const seen: unknown[] = []
    const act = tool({
      name: 'act',
      description: 'd',
      input: z.object({ unit: z.string().default('C'), city: z.string().transform((city) => city.toUpperCase()) }),
      execute: (value) => void seen.push(value),
    })
    await runCalls([act], [{ name: 'act', input: { city: 'Oslo' } }])
    expect(seen).toEqual([{ unit: 'C', city: 'OSLO' }])
  })
})

type Call = { name: string; input?: Record<string, boolean | string> }

function runCalls(
  functions: Tool[],
  toolCalls: Call[],
  options: Partial<AgentOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<RunResult> {
  const model = scriptedModel([{ toolCalls }, 'Done.'])
  return new Agent({ name: 'Test', functions, model, ...options }).stream('Go', { signal }).result
}

function toolMessages(result: RunResult): Extract<Message, { role: 'tool' }>[] {
  return result.messages.filter((message) => message.role === 'tool')
}

function makeThrower(thrown: unknown): () => never {
  return () => {
    throw thrown
  }
}

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}

describe('what a tool returns by mistake', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['a Response', () => new Response('{}'), /await response\.json\(\)/],
    ['a function', () => () => 1, /returned a function/],
    ['an iterator', () => [1].values(), /returned an iterator/],
    ['an iterator of its own', () => ({ next: () => ({ done: true }) }), /returned an iterator/],
  ])('is an error result that says so: %s', async (_name, execute, problem) => {
    const result = await runCalls([makeTool(execute)], [{ name: 'act' }])
    expect(toolMessages(result)).toMatchObject([{ isError: true, content: expect.stringMatching(problem) }])
  })
})
