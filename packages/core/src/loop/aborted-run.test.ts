import { getEventListeners } from 'node:events'
import { setImmediate as nextTurnOfTheLoop, setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { deaf, expectWorkingSession, key, makeTool, within100ms } from '../__fixtures__/stopped-run.ts'
import {
  Agent,
  AgentKitError,
  type AgentRun,
  type Model,
  memorySessions,
  type RunOptions,
  type RunResult,
  type StandardSchema,
  tool,
} from '../index.ts'

refuseUnhandledRejections()

describe('an aborted run', () => {
  it('calls no model when its signal was aborted before', async () => {
    const model = scriptedModel(['never'])
    const store = memorySessions()
    const agent = new Agent({ name: 'Test', functions: [], model, sessions: store })
    const run = agent.stream('Go', { sessionId: 's', signal: AbortSignal.abort() })
    const types: string[] = []
    for await (const event of run) types.push(event.type)
    expect(types).toEqual(['run-start', 'run-end'])
    expect(await run.result).toMatchObject({ finishReason: 'aborted', error: { code: 'aborted' }, steps: 0 })
    expect(model.requests).toEqual([])
    expect(await store.load(key)).toBeUndefined()
  })

  it('keeps the calls that had finished, and says that it was stopped', async () => {
    const controller = new AbortController()
    const quick = makeTool('quick', () => 'booked')
    const finished = Promise.withResolvers<void>()
    const hooks = { afterTool: () => void setImmediate(finished.resolve) }
    const model = scriptedModel([{ toolCalls: [{ name: 'deaf' }, { name: 'quick' }] }, 'Next.'])
    const agent = new Agent({ name: 'Test', functions: [deaf, quick], model, hooks })
    const run = agent.stream('Go', { sessionId: 's', signal: controller.signal }).result
    await finished.promise
    controller.abort()
    const { messages } = await within100ms(run)
    const stored = await agent.sessions.load(key)
    expect(stored?.messages).toEqual(messages)
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool-call', name: 'quick' }] },
      { role: 'tool', name: 'quick', content: 'booked' },
      { role: 'assistant', content: [{ type: 'text', text: '[stopped: aborted]' }] },
    ])
    expect(await agent.chat('Next', { sessionId: 's' })).toBe('Next.')
    expect(model.requests[1]?.messages.slice(0, -1)).toEqual(messages)
  })

  it('gives its tools the reason of the abort', async () => {
    const reasons: unknown[] = []
    const listening = makeTool('listening', (_input, { signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason))
      return new Promise(() => {})
    })
    const controller = new AbortController()
    const agent = new Agent({
      name: 'Test',
      functions: [listening],
      model: scriptedModel([{ toolCalls: [{ name: 'listening' }, { name: 'listening' }] }]),
    })
    const run = agent.stream('Go', { signal: controller.signal }).result
    await sleep(10)
    controller.abort('enough')
    expect(await within100ms(run)).toMatchObject({ finishReason: 'aborted', error: { cause: 'enough' } })
    expect(reasons).toEqual(['enough', 'enough'])
  })

  it.each<[string, Model['stream']]>([
    [
      'never says anything',
      async function* () {
        await new Promise(() => {})
        yield { type: 'text-delta', text: '' }
      },
    ],
    [
      'keeps sending',
      async function* () {
        for (;;) {
          await sleep(1)
          yield { type: 'text-delta', text: 'bla ' }
        }
      },
    ],
    [
      'answers as if nothing had happened',
      async function* () {
        await sleep(40)
        yield {
          type: 'finish',
          reason: 'stop',
          usage: {},
          message: { role: 'assistant', content: [{ type: 'text', text: 'Late.' }] },
        }
      },
    ],
    [
      'fails later',
      async function* () {
        await sleep(40)
        yield { type: 'text-delta', text: '' }
        throw new Error('socket hang up')
      },
    ],
  ])('does not wait for a model that %s', async (_name, stream) => {
    const store = memorySessions()
    const agent = new Agent({ name: 'Test', functions: [], model: { id: 'test/deaf', stream }, sessions: store })
    const controller = new AbortController()
    const run = agent.stream('Go', { sessionId: 's', signal: controller.signal })
    setTimeout(() => controller.abort(), 20)
    let after = 0
    for await (const event of run) if (controller.signal.aborted && event.type === 'text-delta') after++
    const { text, finishReason } = await within100ms(run.result)
    expect(finishReason).toBe('aborted')
    expect(after).toBeLessThanOrEqual(1)
    await expectWorkingSession(store)
    await sleep(50)
    expect((await run.result).text).toBe(text)
  })

  it('closes the stream of a model that keeps sending', async () => {
    let closed = false
    const model: Model = {
      id: 'test/deaf',
      async *stream() {
        try {
          for (;;) {
            await sleep(1)
            yield { type: 'text-delta', text: 'bla ' }
          }
        } finally {
          closed = true
        }
      },
    }
    await new Agent({ name: 'Test', functions: [], model }).stream('Go', { timeoutMs: 15 }).result
    await expect.poll(() => closed).toBe(true)
  })

  it('begins none of the calls that were waiting', async () => {
    const looked: unknown[] = []
    const schema: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate(value) {
          looked.push(value)
          return { value }
        },
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
    }
    const { signal, expire } = expiringSignal()
    let begun = 0
    const execute = (): Promise<never> => {
      if (++begun === 8) setImmediate(expire)
      return new Promise(() => {})
    }
    const hangs = tool({ name: 'hangs', description: 'd', input: schema, execute })
    const model = scriptedModel([{ toolCalls: Array.from({ length: 12 }, () => ({ name: 'hangs' })) }])
    const agent = new Agent({ name: 'Test', functions: [hangs], model })
    expect((await agent.stream('Go', { signal }).result).error?.code).toBe('timeout')
    await nextTurnOfTheLoop()
    expect(looked).toHaveLength(8)
  })

  it('does not wait for a tool that ignores the signal, and drops its later result', async () => {
    const store = memorySessions()
    const { signal, expire } = expiringSignal()
    const returned = Promise.withResolvers<string>()
    const late = makeTool('late', () => {
      setImmediate(expire)
      return returned.promise
    })
    const agent = new Agent({
      name: 'Test',
      functions: [deaf, late],
      model: scriptedModel([{ toolCalls: [{ name: 'deaf' }, { name: 'late' }] }]),
      sessions: store,
    })
    const run = agent.stream('Go', { sessionId: 's', signal })
    expect(await run.result).toMatchObject({ finishReason: 'error', error: { code: 'timeout' }, messages: [] })
    returned.resolve('too late')
    await nextTurnOfTheLoop()
    expect((await store.load(key))?.messages).toEqual([])
    expect((await store.find(run.runId))?.messages).toHaveLength(2)
    await expectWorkingSession(store)
  })

  it.each([true, false])(
    'ends the runs that its tools have left behind, one that ends leaves them (cancelled: %s)',
    async (isCancelled) => {
      const { promise: answer, resolve: answers } = Promise.withResolvers<void>()
      const slow: ScriptedTurn = async () => {
        await answer
        return 'Late.'
      }
      const helper = new Agent({ name: 'Helper', functions: [], model: scriptedModel([slow]) })
      const left: Promise<RunResult>[] = []
      const start = makeTool('start', () => void left.push(helper.stream('Work.').result))
      const run: AgentRun = new Agent({
        ...{ name: 'Test', functions: [start] },
        model: scriptedModel([
          { toolCalls: [{ name: 'start' }] },
          () => {
            if (isCancelled) run.cancel()
            return 'Started.'
          },
        ]),
      }).stream('Go')
      await run.result
      answers()
      expect((await left[0])?.finishReason).toBe(isCancelled ? 'aborted' : 'stop')
    },
  )

  it('leaves the queue of its session, and the others keep their places', async () => {
    const order: string[] = []
    const turn =
      (name: string): ScriptedTurn =>
      async () => {
        order.push(`${name} begins`)
        await sleep(20)
        order.push(`${name} ends`)
        return name
      }
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel([turn('first'), turn('third')]) })
    const controller = new AbortController()
    const first = agent.chat('1', { sessionId: 's' })
    const second = agent.stream('2', { sessionId: 's', signal: controller.signal }).result
    const third = agent.chat('3', { sessionId: 's' })
    await sleep(5)
    controller.abort()
    expect(await within100ms(second)).toMatchObject({ finishReason: 'aborted', messages: [], steps: 0 })
    expect(order).toEqual(['first begins'])
    expect(await Promise.all([first, third])).toEqual(['first', 'third'])
    expect(order).toEqual(['first begins', 'first ends', 'third begins', 'third ends'])
  })

  it('leaves no listener on the caller’s signal', async () => {
    const controller = new AbortController()
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['a', new Error('down'), 'c']) })
    for (let turn = 0; turn < 3; turn++) await agent.stream('Go', { signal: controller.signal }).result
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})

describe('the reason why a run was stopped', () => {
  it.each<[string, () => RunOptions, (run: AgentRun) => void, object]>([
    [
      'by a signal',
      () => ({ signal: abortedIn(10) }),
      () => {},
      { finishReason: 'aborted', error: { code: 'aborted' } },
    ],
    [
      'by a signal that timed out',
      () => ({ signal: AbortSignal.timeout(10) }),
      () => {},
      { finishReason: 'error', error: { code: 'timeout', phase: 'run' } },
    ],
    [
      'by a signal whose reason is an AgentKitError',
      () => ({ signal: abortedIn(10, new AgentKitError('quota', 'Spent.')) }),
      () => {},
      { error: { code: 'quota', message: 'Spent.' } },
    ],
    [
      'by its deadline',
      () => ({ timeoutMs: 10 }),
      () => {},
      { finishReason: 'error', error: { code: 'timeout', phase: 'run', retryable: true } },
    ],
    [
      'by cancel()',
      () => ({}),
      (run) => setTimeout(run.cancel, 10),
      { finishReason: 'aborted', error: { code: 'aborted', message: 'The run was cancelled.' } },
    ],
    [
      'by cancel() before it began',
      () => ({}),
      (run) => run.cancel(),
      { finishReason: 'aborted', error: { code: 'aborted' } },
    ],
  ])('is in the result: %s', async (_name, makeOptions, act, expected) => {
    const agent = new Agent({
      name: 'Test',
      functions: [deaf],
      model: scriptedModel([{ toolCalls: [{ name: 'deaf' }] }]),
    })
    const run = agent.stream('Go', makeOptions())
    act(run)
    expect(await run.result).toMatchObject(expected)
  })

  it('is the shorter one of the agent’s deadline and the run’s', async () => {
    const slow = { text: 'b', delayMs: 30 }
    const model = scriptedModel([slow, slow, slow])
    const timeout = { code: 'timeout', phase: 'run' }
    const agent = new Agent({ name: 'Test', functions: [], model, timeoutMs: 10 })
    await expect(agent.chat('Go')).rejects.toMatchObject(timeout)
    await expect(agent.chat('Go', { timeoutMs: 5_000 })).rejects.toMatchObject(timeout)
    const patient = new Agent({ name: 'Test', functions: [], model, timeoutMs: 5_000 })
    await expect(patient.chat('Go', { timeoutMs: 10 })).rejects.toMatchObject(timeout)
  })

  it('stays the first reason', async () => {
    const agent = new Agent({
      name: 'Test',
      functions: [deaf],
      model: scriptedModel([{ toolCalls: [{ name: 'deaf' }] }]),
    })
    const run = agent.stream('Go', { timeoutMs: 10 })
    const { error } = await run.result
    run.cancel()
    expect(error?.code).toBe('timeout')
    expect((await run.result).error).toBe(error)
  })
})

/** A signal that ends as a deadline does, when the test says so. */
function expiringSignal(): { signal: AbortSignal; expire(): void } {
  const controller = new AbortController()
  return { signal: controller.signal, expire: () => controller.abort(new DOMException('Too late.', 'TimeoutError')) }
}

function abortedIn(ms: number, reason?: unknown): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), ms)
  return controller.signal
}
