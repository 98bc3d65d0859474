import { getEventListeners } from 'node:events'
import { setImmediate as nextTurnOfTheLoop, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type AnySwarm, anySwarm, type Kind, kinds } from '../__fixtures__/any-swarm.ts'
import { randomOf } from '../__fixtures__/random.ts'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { deaf, within100ms } from '../__fixtures__/stopped-run.ts'
import { callingThen, member, saying } from '../__fixtures__/team.ts'
import {
  type AgentEvent,
  type AgentRun,
  memorySessions,
  type RunResult,
  type SessionStore,
  Swarm,
  validateTranscript,
} from '../index.ts'

refuseUnhandledRejections()

/** A swarm with handoffs and nested members. */
function seedOf(outer: Kind, inner: Kind): number {
  if (outer !== 'handoff') return 7
  return inner === 'parallel' ? 31 : 34
}

type Way = 'its signal' | 'cancel()' | 'leaving the loop'
type Stopped = { events: AgentEvent[]; result: RunResult; isWhole: boolean }
const ways: Way[] = ['its signal', 'cancel()', 'leaving the loop']
const session = { sessionId: 's' }

async function read(run: AgentRun, controller?: AbortController, way?: Way, seq?: number): Promise<Stopped> {
  const events: AgentEvent[] = []
  let isWhole = true
  for await (const event of run) {
    events.push(event)
    if (event.seq !== seq) continue
    if (way === 'its signal') controller?.abort()
    if (way === 'cancel()') run.cancel()
    if (way !== 'leaving the loop') continue
    isWhole = false
    break
  }
  return { events, result: await within100ms(run.result), isWhole }
}

function expectSound({ events, result, isWhole }: Stopped, where: string): void {
  expect(
    events.map(({ seq }) => seq),
    where,
  ).toEqual(events.map((_, index) => index + 1))
  expect(validateTranscript(result.messages), where).toEqual([])
  if (!isWhole) return
  expect(
    events.filter(({ type }) => type === 'run-end'),
    where,
  ).toEqual([events.at(-1)])
  const open: string[] = []
  for (const { type, path } of events) {
    if (type === 'agent-start') open.push(path.join('/'))
    if (type === 'agent-end') expect(open.splice(open.indexOf(path.join('/')), 1), where).toEqual([path.join('/')])
  }
  expect(open, where).toEqual([])
}

describe.each(kinds)('a nested swarm that is aborted at any event: %s', (outer) => {
  const inners: Kind[] = [kinds[(kinds.indexOf(outer) + 1) % 5], kinds[(kinds.indexOf(outer) + 3) % 5]] as Kind[]
  const make = (inner: Kind): AnySwarm => anySwarm(randomOf(seedOf(outer, inner)), { kinds: [outer, inner] })

  it.each(inners.flatMap((inner) => ways.map((way): [Kind, Way] => [inner, way])))(
    'settles at once, and its session can be used again: with %s, by %s',
    async (inner, way) => {
      const { events } = await read(make(inner).swarm.stream('Go', session))
      expect(events.length).toBeGreaterThan(15)
      // The three ways share one code path: each event is tested with one of them, and with another in the other swarm.
      const mine = events.filter(({ seq }) => (seq + inners.indexOf(inner)) % 3 === ways.indexOf(way))
      for (const { seq } of mine) {
        const { swarm, seen } = make(inner)
        const controller = new AbortController()
        const stopped = await read(swarm.stream('Go', { ...session, signal: controller.signal }), controller, way, seq)
        const where = `after event ${seq}`
        expectSound(stopped, where)
        expect(['aborted', 'stop'], where).toContain(stopped.result.finishReason)
        expect(getEventListeners(controller.signal, 'abort'), where).toEqual([])
        const next = await read(swarm.stream('Next', session))
        expect(next.result.error, where).toBeUndefined()
        expect(seen.problems, where).toEqual([])
      }
    },
  )

  it('keeps its deadline', async () => {
    for (let timeoutMs = 1; timeoutMs < 12; timeoutMs++) {
      const { swarm } = make(inners[0] as Kind)
      const stopped = await read(swarm.stream('Go', { ...session, timeoutMs }))
      expectSound(stopped, `${timeoutMs} ms`)
      if (stopped.result.error) expect(stopped.result.error.code).toBe('timeout')
    }
  })
})

it('does not wait for a store that hangs while it stores the active member', async () => {
  const store = memorySessions()
  const append: SessionStore['append'] = (runId, messages, state) => {
    return state === undefined ? store.append(runId, messages) : new Promise(() => {})
  }
  const agents = [member('Ann', saying([['transfer_to_bob', {}]])), member('Bob')]
  const swarm = new Swarm({ name: 'Team', agents, collaboration: 'handoff', sessions: { ...store, append } })
  const controller = new AbortController()
  const run = swarm.stream('Go', { ...session, signal: controller.signal })
  for await (const { type } of run) if (type === 'agent-end') setTimeout(() => controller.abort(), 5)
  expect((await within100ms(run.result)).finishReason).toBe('aborted')
})

it('leaves no timer behind, also when a nested member ignores the signal', async () => {
  const before = timers()
  for (const collaboration of ['manager', 'handoff', 'parallel', 'sequence'] as const) {
    const inner = new Swarm({
      ...{ name: 'Inner', model: callingThen([['ann', { task: 'x' }]], 'x') },
      agents: [member('Ann', saying([['deaf', {}]]), { functions: [deaf], timeoutMs: 60_000 })],
    })
    const model = callingThen([['inner', { task: 'x' }]], 'x')
    const swarm = new Swarm({ name: 'Team', model, agents: [inner], collaboration })
    const controller = new AbortController()
    const run = swarm.stream('Go', { ...session, signal: controller.signal, budget: { seconds: 60 } })
    const events: AgentEvent[] = []
    for await (const event of run) {
      events.push(event)
      // Its tool call is running.
      if (event.type === 'tool-call' && event.name === 'deaf') setTimeout(() => controller.abort(), 5)
    }
    const result = await within100ms(run.result)
    expect(result.finishReason).toBe('aborted')
    expectSound({ events, result, isWhole: true }, collaboration)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  }
  await nextTurnOfTheLoop()
  // The timers of the test runner fire soon. Those of the runs would take a minute.
  for (let looks = 0; timers() > before && looks < 100; looks++) await sleep(10)
  expect(timers()).toBeLessThanOrEqual(before)
})

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}
