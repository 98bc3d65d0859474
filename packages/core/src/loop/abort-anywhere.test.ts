import { describe, expect, it } from 'vitest'
import { checkRun } from '../__fixtures__/any-run/check-run.ts'
import { checkNextTurn, checkStored } from '../__fixtures__/any-run/check-session.ts'
import type { AnyRun } from '../__fixtures__/any-run/start-any-run.ts'
import { createWitness, currentWitness } from '../__fixtures__/any-run/witness.ts'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { longSession, richAgent } from '../__fixtures__/rich-agent.ts'
import { key, promptClock } from '../__fixtures__/stopped-run.ts'
import type { AgentEvent, AgentRun, SessionStore } from '../index.ts'

refuseUnhandledRejections()

const ways: Record<string, (run: AgentRun<unknown>, controller: AbortController) => 'leave' | undefined> = {
  'its signal'(_run, controller) {
    controller.abort()
    return undefined
  },
  'cancel()'(run) {
    run.cancel()
    return undefined
  },
  'leaving the loop': () => 'leave',
}

describe.each(['always', 'never'] as const)('a run with something of everything, native output: %s', (nativeOutput) => {
  it('emits these events when it is not aborted', async () => {
    const { events, result, witness } = await readRun(await longSession(), {})
    expect(result).toMatchObject({ finishReason: 'stop', output: { city: 'Oslo' } })
    const types = new Set(events.map(({ type }) => type))
    const expected = ['step-restart', 'tool-call', 'approval-request', 'tool-result', 'step-end', 'run-end'] as const
    for (const type of expected) expect(types).toContain(type)
    // The tool calls, an answer that broke off, one in a wrong form, the answer, and what a summary takes.
    expect(witness.modelCalls.length).toBeGreaterThan(4)
  })

  it.each(Object.keys(ways))('settles at once when it is stopped by %s, after any event', async (way) => {
    const { events } = await readRun(await longSession(), {})
    for (const { seq } of events) {
      const store = await longSession()
      await expectSound(await readRun(store, { way, seq }), store, `after event ${seq}`)
    }
  })

  it.each(['before', 'after'] as const)('settles at once when it is stopped %s any call of its store', async (side) => {
    const whole = stoppingStore(await longSession())
    await readRun(whole, {})
    for (let call = 1; call <= whole.calls; call++) {
      const controller = new AbortController()
      const store = stoppingStore(await longSession(), { side, call, controller })
      await expectSound(await readRun(store, { controller }), store, `${side} call ${call} of the store`)
    }
  })

  /** Reads a run to its end, or stops it after an event; what it asks for is approved. */
  async function readRun(
    store: SessionStore,
    { way, seq, controller = new AbortController() }: { way?: string; seq?: number; controller?: AbortController },
  ): Promise<AnyRun> {
    const witness = createWitness('Where?', {})
    const events: AgentEvent[] = []
    let isWhole = true
    const run = richAgent(store, nativeOutput).stream('Where?', { sessionId: 's', signal: controller.signal })
    const result = await currentWitness.run(witness, async () => {
      using clock = promptClock()
      controller.signal.addEventListener('abort', clock.start)
      for await (const event of run) {
        events.push(event)
        if (event.seq === seq && way !== undefined) {
          clock.start()
          isWhole = ways[way]?.(run, controller) !== 'leave'
          if (!isWhole) break
        } else if (event.type === 'approval-request' && !controller.signal.aborted) {
          witness.approves(event.callId)
          run.approve(event.approvalId)
        }
      }
      const result = await run.result
      expect(clock.isLate(), 'the run settles within 100 ms of its abort').toBe(false)
      return result
    })
    witness.settles()
    return { runId: run.runId, result, events, isWhole, witness }
  }

  /** Checks the run, the next turn of its session and, if it waits for an approval, the run that resumes it. */
  async function expectSound(run: AnyRun, store: SessionStore, where: string): Promise<void> {
    const { result, runId, witness } = run
    expect(['aborted', 'approval', 'stop'], where).toContain(result.finishReason)
    expect(checkRun(run, isCity), where).toEqual([])
    expect(await checkStored(run, store), where).toEqual([])
    expect(await checkNextTurn(store, store), where).toEqual([])
    const [approval] = result.approvals
    if (!approval) return
    witness.resumes()
    witness.approves(approval.callId)
    const resumed = await currentWitness.run(witness, () => {
      return richAgent(store, nativeOutput).resume(runId, { [approval.approvalId]: true }).result
    })
    expect(resumed, where).toMatchObject({ finishReason: 'stop', output: { city: 'Oslo' } })
    expect(witness.executions.map(({ name }) => name).sort(), where).toEqual(['a', 'b', 'c', 'pay'])
    expect(witness.problems, where).toEqual([])
    expect((await store.turns(key))[1]).toMatchObject({ runId, status: 'done' })
  }
})

function isCity(value: unknown): boolean {
  return JSON.stringify(value) === '{"city":"Oslo"}'
}

/** A store that counts its calls, and aborts a run at one of them. */
function stoppingStore(
  store: SessionStore,
  stop?: { side: 'before' | 'after'; call: number; controller: AbortController },
): SessionStore & { readonly calls: number } {
  let calls = 0
  const spied = <Parameters extends unknown[], Value>(
    work: (...parameters: Parameters) => Promise<Value>,
  ): ((...parameters: Parameters) => Promise<Value>) => {
    return async (...parameters) => {
      const isNow = ++calls === stop?.call
      if (isNow && stop?.side === 'before') stop.controller.abort()
      const value = await work(...parameters)
      if (isNow) stop?.controller.abort()
      return value
    }
  }
  return {
    ...store,
    load: spied(store.load),
    begin: spied(store.begin),
    append: spied(store.append),
    end: spied(store.end),
    turns: spied(store.turns),
    get calls() {
      return calls
    },
  }
}
