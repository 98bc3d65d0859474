import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { calls, payer } from '../__fixtures__/payer.ts'
import { Agent, AgentKitError, type RunResult, Swarm } from '../index.ts'
import { limits } from '../limits.ts'
import { endCrashed } from '../runs/end-crashed.ts'
import { handBackRuns } from './live-runs.ts'
import { memorySessions } from './memory-sessions.ts'

const inSession = { userId: 'ann', sessionId: 's' }
const resumable = { ...inSession, resumable: true }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Makes these methods fail from now on. @returns lets them work again */
function failing<Methods extends object>(methods: Methods, names: (keyof Methods)[]): () => void {
  const before = { ...methods }
  const fail = async (): Promise<never> => {
    throw new AgentKitError('storage', 'The disk is full.')
  }
  for (const name of names) Object.assign(methods, { [name]: fail })
  return () => void Object.assign(methods, before)
}

it('does not end a run that a caller of resume continues, when the reader that has waited for it leaves', async () => {
  const { store } = memoryDisk().open()
  const paid = Promise.withResolvers<string>()
  const { agent } = payer([calls('pay 1'), 'Paid.'], { store, pay: () => paid.promise })
  const run = agent.stream('Pay.', inSession)
  let resumed: Promise<RunResult> | undefined
  for await (const event of run) {
    if (event.type === 'approval-request') resumed = agent.resume(run.runId, { [event.approvalId]: true }).result
  }
  expect((await run.result).error?.code).toBe('session-conflict')
  await vi.advanceTimersByTimeAsync(limits.endAgainMs)
  paid.resolve('paid')
  expect(await resumed).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
  expect(vi.getTimerCount()).toBe(0)
})

it('does not end a run that was taken over again before an aborted takeover has failed', async () => {
  const { store } = memoryDisk().open()
  const [begun, paid, late] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<string>(),
    Promise.withResolvers<void>(),
  ]
  const { agent } = payer([calls('pay 1'), 'Paid.'], {
    ...{ store, needsApproval: false },
    pay() {
      begun.resolve()
      return paid.promise
    },
  })
  const { runId } = await agent.enqueue('Pay.', inSession)
  const { takeOver } = store.runs
  store.runs.takeOver = async (...taken) => {
    store.runs.takeOver = takeOver
    await late.promise
    return takeOver(...taken)
  }
  const stop = new AbortController()
  const { result } = agent.continueRun(runId, { signal: stop.signal })
  await vi.advanceTimersByTimeAsync(0)
  stop.abort()
  await result
  const continued = agent.continueRun(runId).result
  await begun.promise
  late.resolve()
  await vi.advanceTimersByTimeAsync(limits.endAgainMs)
  paid.resolve('paid')
  expect(await continued).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
})

describe('a run whose process leaves it while its store fails', () => {
  it('is released once the store works, where it is enqueued: another process continues it', async () => {
    const disk = memoryDisk()
    const { store } = disk.open()
    let repair = (): void => {}
    const { agent } = payer([calls('pay 1'), 'Never.'], {
      ...{ store, needsApproval: false },
      pay() {
        repair = failing(store.runs, ['append', 'release', 'end'])
      },
    })
    const { runId } = await agent.enqueue('Look.', inSession)
    expect((await agent.continueRun(runId).result).error?.code).toBe('storage')
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await store.runs.read(runId))?.isFree).toBeFalsy()
    repair()
    await vi.advanceTimersByTimeAsync(limits.longestEndAgainMs)
    expect(await store.runs.read(runId)).toMatchObject({ record: { status: 'running' }, isFree: true })
    expect(vi.getTimerCount()).toBe(0)
    const other = payer(['Done.'], { store: disk.open().store }).agent
    expect((await other.continueRun(runId).result).finishReason).toBe('approval')
  })

  it('is released where it was handed back, and does not delay that', async () => {
    const { store } = memoryDisk().open()
    const begun = Promise.withResolvers<void>()
    const { agent } = payer([calls('pay 1')], {
      ...{ store, needsApproval: false },
      pay() {
        begun.resolve()
        return new Promise(() => {})
      },
    })
    const { runId, result } = agent.stream('Look.', resumable)
    await begun.promise
    const repair = failing(store.runs, ['append', 'release'])
    const handedBack = handBackRuns(store, 0)
    await vi.advanceTimersByTimeAsync(0)
    await handedBack
    expect((await result).error?.code).toBe('aborted')
    repair()
    await vi.advanceTimersByTimeAsync(limits.endAgainMs)
    expect(await store.runs.read(runId)).toMatchObject({ record: { status: 'running' }, isFree: true })
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([{}, { resumable: true }])('is ended with %j once the store works', async (options) => {
    const { store } = memoryDisk().open()
    const repair = failing(store.runs, ['end'])
    const { runId } = await payer(['Hello.'], { store }).agent.stream('Hi.', { ...inSession, ...options }).result
    repair()
    await vi.advanceTimersByTimeAsync(limits.endAgainMs)
    expect((await store.runs.read(runId))?.record).toMatchObject({ status: 'failed', error: { code: 'storage' } })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is ended in a store without runs, and so are the turns of members', async () => {
    const store = memorySessions()
    const repair = failing(store, ['end'])
    const agents = [new Agent({ name: 'Ann', functions: [], model: scriptedModel(['Hello.']) })]
    const swarm = new Swarm({ name: 'Team', collaboration: 'sequence', agents, sessions: store })
    await swarm.stream('Hi.', inSession).result
    repair()
    await vi.advanceTimersByTimeAsync(limits.endAgainMs)
    for (const agentId of ['team', 'team/ann']) {
      expect(await store.turns({ agentId, ...inSession })).toMatchObject([{ status: 'failed' }])
    }
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is ended where the store has begun it and failed to say so', async () => {
    const { store } = memoryDisk().open()
    const { create } = store.runs
    const repair = failing(store.runs, ['end'])
    store.runs.create = async (...values) => {
      await create(...values)
      throw new AgentKitError('storage', 'Postgres is away.')
    }
    const { runId } = await payer(['Hello.'], { store }).agent.stream('Hi.', inSession).result
    repair()
    await vi.advanceTimersByTimeAsync(limits.endAgainMs)
    expect((await store.runs.read(runId))?.record.status).toBe('failed')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is left alone once another process has taken it over', async () => {
    const disk = memoryDisk()
    const [{ store, kill }, other] = [disk.open(), disk.open()]
    const { agent } = payer(['Hello.'], { store })
    const { runId } = await agent.enqueue('Hi.', inSession)
    const repair = failing(store.runs, ['release', 'end'])
    await agent.continueRun(runId).result
    kill()
    await other.store.runs.takeOver(runId, { expectedVersion: 0 })
    repair()
    await vi.advanceTimersByTimeAsync(limits.endAgainMs)
    expect(await other.store.runs.read(runId)).toMatchObject({ attempt: 2, isFree: false })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is ended where it had ended too many processes', async () => {
    const disk = memoryDisk()
    const [dead, { store }] = [disk.open(), disk.open()]
    const { agent } = payer(['Hello.'], { store: dead.store })
    const { runId } = await agent.enqueue('Hi.', inSession)
    await dead.store.runs.takeOver(runId, { expectedVersion: 0 })
    dead.kill()
    const repair = failing(store.runs, ['end'])
    await expect(endCrashed(store, runId)).rejects.toMatchObject({ code: 'storage' })
    repair()
    await vi.advanceTimersByTimeAsync(limits.endAgainMs)
    expect((await store.runs.read(runId))?.record).toMatchObject({ status: 'failed', error: { code: 'crashed' } })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is tried for a day', async () => {
    const { store } = memoryDisk().open()
    failing(store.runs, ['end'])
    await payer(['Hello.'], { store }).agent.stream('Hi.', inSession).result
    vi.advanceTimersByTime(limits.endAgainForMs - limits.longestEndAgainMs)
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(3 * limits.longestEndAgainMs)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is left to the process that has taken it over instead', async () => {
    const disk = memoryDisk()
    const [{ store }, other] = [disk.open(), disk.open()]
    const { agent } = payer(['Hello.'], { store })
    const { runId } = await agent.enqueue('Hi.', inSession)
    const repair = failing(store.runs, ['takeOver'])
    await agent.continueRun(runId).result
    repair()
    await other.store.runs.takeOver(runId, { expectedVersion: 0 })
    await vi.advanceTimersByTimeAsync(limits.endAgainMs)
    expect(await other.store.runs.read(runId)).toMatchObject({ attempt: 1, isFree: false })
  })
})
