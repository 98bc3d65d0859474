import { setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type MemoryDisk, memoryDisk } from '../../__fixtures__/memory-runs.ts'
import { mortalProcess } from '../../__fixtures__/mortal-process.ts'
import { calls } from '../../__fixtures__/payer.ts'
import type { RunRecord } from '../../data/run-record.ts'
import { Agent, AgentKitError, type SessionStore, tool } from '../../index.ts'
import { limits } from '../../limits.ts'
import { recoverRuns } from './recover-runs.ts'
import type { OnSettled } from './run-job.ts'

const session = { userId: 'ann', sessionId: 's' }
const patiently = { timeout: 30_000 }
afterEach(() => void vi.useRealTimers())

describe('the search for runs without a process', () => {
  it('continues a resumable run whose process died', async () => {
    const disk = memoryDisk()
    const runId = await crash(disk, [calls('look 1'), 'Done.'], 3, { ...session, resumable: true })
    const stop = recover(disk, ['Done.'])
    expect(await settled(disk, runId)).toMatchObject({ status: 'done', text: 'Done.', attempts: 2 })
    await stop()
  })

  it('ends a run that is not resumable', async () => {
    const disk = memoryDisk()
    const runId = await crash(disk, [calls('look 1'), 'Done.'], 3, session)
    const controller = new AbortController()
    const onSettled = vi.fn()
    const recovery = recoverRuns([agentOf(disk.open().store, [])], { signal: controller.signal, onSettled })
    expect(await settled(disk, runId)).toMatchObject({ status: 'failed', error: { code: 'crashed' } })
    controller.abort()
    await recovery.ended
    const end = { runId, finishReason: 'error', error: { code: 'crashed' } }
    expect(onSettled.mock.calls).toMatchObject([[{ runId, userId: 'ann' }, { usage: {} }, end]])
  })

  it('continues a run whose approvals are decided, once it is woken', async () => {
    const disk = memoryDisk()
    const { store } = disk.open()
    const agent = agentOf(store, [calls('pay 1'), 'Paid.'])
    const { runId, approvals } = await agent.stream('Pay.', session).result
    const controller = new AbortController()
    const recovery = recoverRuns([agent], { signal: controller.signal })
    await agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    recovery.wake()
    expect(await settled(disk, runId)).toMatchObject({ status: 'done', text: 'Paid.' })
    controller.abort()
    await recovery.ended
  })

  it('reports a run that has failed, though its store takes a time to store that', async () => {
    const disk = memoryDisk()
    const { store } = disk.open()
    const agent = agentOf(store, [calls('pay 1'), new AgentKitError('bad-request', 'No.')])
    const { runId, approvals } = await agent.stream('Pay.', session).result
    const { runs } = store
    const end = runs.end.bind(runs)
    // Longer than a caller of a run waits for the store.
    vi.spyOn(runs, 'end').mockImplementation((...entry) => sleep(limits.endFailedMs * 4).then(() => end(...entry)))
    await agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    const controller = new AbortController()
    const reported: unknown[] = []
    const onSettled: OnSettled = (_, _spent, { error }) => reported.push(error?.code)
    const recovery = recoverRuns([agent], { signal: controller.signal, onSettled })
    expect(await settled(disk, runId)).toMatchObject({ status: 'failed', error: { code: 'bad-request' } })
    controller.abort()
    await recovery.ended
    expect(reported).toEqual(['bad-request'])
  })

  it('reports what this process has spent on a run whose process died, and the usage of the whole run', async () => {
    const disk = memoryDisk()
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
    const step = { toolCalls: [{ name: 'look', input: { amount: 1 } }], usage }
    const runId = await crash(disk, [step], 3, { ...session, resumable: true })
    const controller = new AbortController()
    const onSettled = vi.fn<OnSettled>()
    const agent = agentOf(disk.open().store, [{ text: 'Done.', usage }])
    const recovery = recoverRuns([agent], { signal: controller.signal, onSettled })
    await expect.poll(() => onSettled.mock.calls.length, patiently).toBe(1)
    controller.abort()
    await recovery.ended
    const both = { inputTokens: 20, outputTokens: 10, totalTokens: 30 }
    const [spent, result] = onSettled.mock.calls[0]?.slice(1) ?? []
    expect([spent, result]).toMatchObject([{ usage }, { runId, finishReason: 'stop', usage: both }])
    expect([spent, result]).toMatchObject([{ cost: { usd: closeTo(60e-6) } }, { cost: { usd: closeTo(120e-6) } }])
  })

  it('starts a run alone, and later, with which processes died; and ends it when five have', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const disk = memoryDisk()
    const runId = await crash(disk, ['Done.'], 1, { ...session, resumable: true })
    const takeovers: number[] = []
    for (let death = 1; death < 5; death++) {
      const process = mortalProcess(disk, { number: 1, hasEffect: true })
      const controller = new AbortController()
      const begun = performance.now()
      recoverRuns([agentOf(process.store, [])], { signal: controller.signal })
      let isDead = false
      void process.died.then(() => {
        isDead = true
      })
      while (!isDead) await vi.advanceTimersByTimeAsync(100)
      takeovers.push(Math.floor((performance.now() - begun) / 1000))
      controller.abort()
    }
    expect(takeovers).toEqual([0, 0, 1, 5])
    vi.useRealTimers()
    const stop = recover(disk, [])
    const record = await settled(disk, runId)
    expect(record).toMatchObject({ status: 'failed', error: { code: 'crashed' } })
    expect(record?.error?.message).toContain('5 times')
    await stop()
  })

  it('starts one such run at a time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const disk = memoryDisk()
    const options = { userId: 'ann', resumable: true }
    await crash(disk, ['Done.'], 1, { ...options, sessionId: 's' })
    await crash(disk, ['Done.'], 1, { ...options, sessionId: 't' })
    for (let death = 1; death < 3; death++) {
      const { store, kill } = disk.open()
      for (const { runId } of await store.runs.orphans(['payer'])) {
        await store.runs.takeOver(runId, { expectedVersion: 0 })
      }
      kill()
    }
    let running = 0
    let most = 0
    const hang = { id: 'test/hangs', stream: () => hanging() }
    async function* hanging(): AsyncGenerator<never> {
      most = Math.max(most, ++running)
      await new Promise(() => {})
    }
    const controller = new AbortController()
    const agent = new Agent({ name: 'Payer', functions: [], model: hang, sessions: disk.open().store })
    recoverRuns([agent], { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(20_000)
    expect([running, most]).toEqual([1, 1])
    controller.abort()
  })

  it('leaves a run to the process that has it', async () => {
    const disk = memoryDisk()
    const { promise: paid, resolve: pay } = Promise.withResolvers<string>()
    const agent = agentOf(disk.open().store, [calls('look 1'), 'Done.'], () => paid)
    const run = agent.stream('Look.', { ...session, resumable: true })
    const { result } = run
    const stop = recover(disk, [])
    await expect.poll(async () => (await disk.open().store.runs.read(run.runId))?.calls).toHaveLength(1)
    pay('seen')
    expect((await result).text).toBe('Done.')
    await stop()
  })
})

describe('a run that waits for approval', () => {
  it('is continued at once by the process that decides', async () => {
    const { store } = memoryDisk().open()
    const agent = agentOf(store, [calls('pay 1'), 'Paid.'])
    const controller = new AbortController()
    // The next search is never due.
    const start = globalThis.setTimeout
    const timers = vi.spyOn(globalThis, 'setTimeout')
    timers.mockImplementation(((run: () => void, ms?: number) =>
      start(ms === limits.recoveryMs ? () => {} : run, ms)) as typeof setTimeout)
    let searches = 0
    const orphans: typeof store.runs.orphans = (ids) => {
      searches++
      return store.runs.orphans(ids)
    }
    const watched = { ...store, runs: { ...store.runs, orphans } }
    const recovery = recoverRuns([agentOf(watched, ['Paid.'])], { signal: controller.signal })
    const { runId, approvals } = await agent.stream('Pay.', session).result
    await expect.poll(() => searches, patiently).toBe(1)
    const other = agentOf(watched, [])
    await other.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    await expect.poll(async () => (await store.runs.read(runId))?.record.status, patiently).toBe('done')
    timers.mockRestore()
    controller.abort()
    await recovery.ended
  })

  it('fails once its approvals have expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const { store } = memoryDisk().open()
    const agent = agentOf(store, [calls('pay 1')])
    const { runId } = await agent.stream('Pay.', session).result
    vi.setSystemTime(Date.now() + 31 * 24 * 3_600_000)
    const controller = new AbortController()
    const recovery = recoverRuns([agent], { signal: controller.signal })
    await expect.poll(async () => (await store.runs.read(runId))?.record.status, patiently).toBe('failed')
    vi.useRealTimers()
    controller.abort()
    await recovery.ended
    expect((await store.runs.read(runId))?.record).toMatchObject({ finishReason: 'error', error: { code: 'approval' } })
  })
})

describe('a message to a session whose run has died', () => {
  it('waits for the run that is continued', async () => {
    const disk = memoryDisk()
    const runId = await crash(disk, [calls('look 1'), 'Done.'], 3, { ...session, resumable: true })
    const { store } = disk.open()
    const agent = agentOf(store, ['Done.', 'Hello.'])
    let loads = 0
    const { load } = store
    store.load = (key) => {
      loads++
      return load(key)
    }
    const answer = agent.chat('Hi', session)
    // It is the first in the queue of this process, and finds the session held.
    await expect.poll(() => loads).toBeGreaterThan(2)
    const controller = new AbortController()
    const recovery = recoverRuns([agent], { signal: controller.signal })
    expect(await answer).toBe('Hello.')
    expect(await settled(disk, runId)).toMatchObject({ status: 'done' })
    controller.abort()
    await recovery.ended
  })

  it('ends it when it interrupts', async () => {
    const disk = memoryDisk()
    const runId = await crash(disk, [calls('look 1'), 'Done.'], 3, { ...session, resumable: true })
    const agent = agentOf(disk.open().store, ['Hello.'], undefined, { onBusy: 'interrupt' })
    expect(await agent.chat('Hi', session)).toBe('Hello.')
    expect(await settled(disk, runId)).toMatchObject({ status: 'failed', finishReason: 'aborted' })
  })
})

function agentOf(
  sessions: SessionStore,
  turns: readonly ScriptedTurn[],
  look: () => unknown = () => 'seen',
  more: { onBusy?: 'interrupt' } = {},
): Agent {
  const input = { type: 'object', properties: { amount: { type: 'number' } } }
  const functions = [
    tool({ name: 'look', description: 'Looks.', input, idempotent: true, execute: look }),
    tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' }),
  ]
  const price = { inputUsdPerMillion: 2, outputUsdPerMillion: 8, asOf: '2026-01-01' }
  const model = { ...scriptedModel([...turns]), info: { price } }
  return new Agent({ name: 'Payer', functions, model, sessions, ...more })
}

function closeTo(value: number): number {
  // A matcher in the place of a number.
  return expect.closeTo(value, 10) as number
}

/** Lets a process die at one of its writes. */
async function crash(
  disk: MemoryDisk,
  turns: readonly ScriptedTurn[],
  number: number,
  options: { userId: string; sessionId: string; resumable?: boolean },
): Promise<string> {
  const process = mortalProcess(disk, { number, hasEffect: true })
  const run = agentOf(process.store, turns).stream('Go.', options)
  await Promise.race([process.died, run.result])
  return run.runId
}

/** Searches in a process of its own. */
function recover(disk: MemoryDisk, turns: readonly ScriptedTurn[]): () => Promise<void> {
  const controller = new AbortController()
  const { ended } = recoverRuns([agentOf(disk.open().store, turns)], { signal: controller.signal })
  return () => {
    controller.abort()
    return ended
  }
}

async function settled(disk: MemoryDisk, runId: string): Promise<RunRecord | undefined> {
  const { store } = disk.open()
  await expect
    .poll(async () => (await store.runs.read(runId))?.record.status, { timeout: 10_000 })
    .toMatch(/^(done|failed)$/)
  return (await store.runs.read(runId))?.record
}
