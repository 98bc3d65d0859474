import type { QueuedJob, RunCounts } from '@agentkit/core'
import { expect, it } from 'vitest'
import { afterCrash, approval, newRun } from '../run-store-contract/runs.ts'
import { key } from '../session-store-contract/turns.ts'
import {
  alone,
  type BackgroundUnderTest,
  enqueue,
  finish,
  type GetBackground,
  queued,
  takeOver,
  takeOverAlone,
} from './background.ts'

/** The runs that need a worker, the figures of all, and the signs of workers. */
export function unfinishedTests(getStores: GetBackground): void {
  it('lists the runs that need a worker, with what their jobs need', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const dueAt = runs.now() + 3_600_000
    await enqueue(stores, queued('r1', { priority: 4 }), queued('r2', { dueAt }), alone('r3'))
    const jobs = await background.unfinished(['helper'], { limit: 10 })
    expect(jobs).toMatchObject([
      { runId: 'r1', agentId: 'helper', userId: 'ann', priority: 4 },
      { runId: 'r2', agentId: 'helper', userId: 'ann', startAfter: dueAt },
      { runId: 'r3', agentId: 'helper', userId: 'ann' },
    ])
    expect(jobs[0]?.sessionKey).toBeDefined()
    expect(jobs[0]?.sessionKey).toBe(jobs[1]?.sessionKey)
    expect(jobs[2]?.sessionKey).toBeUndefined()
    expect(jobs[0]?.startAfter).toBeUndefined()
    expect(idsOf(await background.unfinished(['helper'], { limit: 2 }))).toEqual(['r1', 'r2'])
    expect(idsOf(await background.unfinished(['helper'], { limit: 2, after: 'r2' }))).toEqual(['r3'])
    expect(await background.unfinished(['other'], { limit: 10 })).toEqual([])
    expect(await background.unfinished(undefined, { limit: 10 })).toHaveLength(3)
  })

  it('returns the rest after a page whose last run has begun meanwhile', async () => {
    const stores = getStores()
    const { background } = stores
    await enqueue(stores, queued('r1'), queued('r2'), alone('r3'), alone('r4'))
    await stores.runs.create(key, newRun('direct'))
    await finish(stores.runs, 'direct')
    expect(idsOf(await background.unfinished(['helper'], { limit: 1 }))).toEqual(['r1'])
    await takeOver(stores, 'r1')
    expect(idsOf(await background.unfinished(['helper'], { limit: 2, after: 'r1' }))).toEqual(['r2', 'r3'])
    await takeOverAlone(stores, 'r3')
    expect(idsOf(await background.unfinished(['helper'], { limit: 2, after: 'r3' }))).toEqual(['r4'])
  })

  it('lists free, decided and lost runs, and none that runs, waits or has ended, nor direct ones', async () => {
    const stores = getStores()
    const { runs, background } = stores
    for (const runId of ['free', 'decided', 'waits', 'ended', 'runs']) {
      await enqueue(stores, alone(runId))
      await takeOverAlone(stores, runId)
    }
    await runs.create({ ...key, sessionId: 'direct' }, newRun('direct'))
    await runs.release('free', 1)
    for (const runId of ['decided', 'waits']) await runs.suspend(runId, { attempt: 1, approvals: [approval('a')] })
    await runs.decide('decided', { a: true })
    await finish(runs, 'ended')
    expect(idsOf(await background.unfinished(undefined, { limit: 10 })).toSorted()).toEqual(['decided', 'free'])
    const other = await afterCrash(stores)
    const found = await other.runs.background?.unfinished(undefined, { limit: 10 })
    expect(idsOf(found ?? []).toSorted()).toEqual(['decided', 'free', 'runs'])
    expect(await other.runs.orphans(['helper'])).toMatchObject([{ runId: 'direct' }])
  })

  it('lists a run that waits for its members no more than a run that waits for a person', async () => {
    const stores = getStores()
    const { background } = stores
    await enqueue(stores, queued('r1'))
    await takeOver(stores, 'r1')
    await background.delegate('r1', { attempt: 1, members: [{ runId: 'm', key: alone('m').key, options: {} }] })
    const jobs = await background.unfinished(undefined, { limit: 10 })
    expect(jobs).toMatchObject([{ runId: 'm', agentId: 'helper', userId: 'ann' }])
    expect(jobs[0]?.sessionKey).toBeUndefined()
  })

  it('counts runs by agent and status', async () => {
    const stores = getStores()
    const { runs, background } = stores
    expect(await background.counts()).toEqual([])
    const before = runs.now()
    await enqueue(stores, alone('q1'), alone('q2'), alone('w'), alone('f'), alone('c'), alone('d'), alone('r'))
    await enqueue(stores, alone('o', { agentId: 'other', key: { ...alone('o').key, agentId: 'other:run' } }))
    for (const runId of ['w', 'f', 'c', 'd', 'r']) await takeOverAlone(stores, runId)
    await runs.suspend('w', { attempt: 1, approvals: [approval('a')] })
    const failed = { attempt: 1, status: 'failed', finishReason: 'error' } as const
    await runs.end('f', { ...failed, error: { code: 'network', message: 'says "code":"crashed"', retryable: true } })
    await runs.end('c', { ...failed, error: { code: 'crashed', message: 'It died.', retryable: false } })
    await finish(runs, 'd')
    await runs.release('r', 1)
    await takeOverAlone(stores, 'r')
    await background.delegate('r', { attempt: 2, members: [{ runId: 'm', key: alone('m').key, options: {} }] })
    await runs.create(key, newRun('direct'))
    const counts = await background.counts()
    expect(find(counts, 'helper')).toMatchObject({
      queued: 2,
      running: 1,
      waiting: 1,
      failed: 2,
      crashed: 1,
      attempts: 6,
    })
    expect(find(counts, 'helper')?.oldestQueuedAt).toBeGreaterThanOrEqual(before)
    expect(find(counts, 'helper')?.oldestQueuedAt).toBeLessThanOrEqual(runs.now())
    expect(find(counts, 'other')).toMatchObject({
      queued: 1,
      running: 0,
      waiting: 0,
      failed: 0,
      crashed: 0,
      attempts: 0,
    })
    expect(counts).toHaveLength(2)
  })

  it('knows when workers of an agent last lived', async () => {
    const { runs, background, moveTime } = getStores()
    expect(await background.lastWorkers()).toEqual([])
    await background.beatWorker('w1', ['helper', 'other'])
    const first = await lastOf(background)
    expect(Object.keys(first).toSorted()).toEqual(['helper', 'other'])
    expect(Math.abs((first.helper ?? 0) - runs.now())).toBeLessThan(60_000)
    await moveTime(3_600_000)
    await background.beatWorker('w2', ['helper'])
    const second = await lastOf(background)
    expect(second.helper).toBeGreaterThanOrEqual((first.helper ?? 0) + 3_600_000)
    expect(second.other).toBe(first.other)
    // Agents that had a worker once stay known.
    await background.removeWorker('w2')
    await background.removeWorker('w1')
    await background.removeWorker('unknown')
    expect(await lastOf(background)).toEqual(second)
  })
}

async function lastOf(background: BackgroundUnderTest['background']): Promise<Record<string, number>> {
  return Object.fromEntries((await background.lastWorkers()).map(({ agentId, at }) => [agentId, at]))
}

function idsOf(jobs: readonly QueuedJob[]): string[] {
  return jobs.map(({ runId }) => runId)
}

function find(counts: readonly RunCounts[], agentId: string): RunCounts | undefined {
  return counts.find((count) => count.agentId === agentId)
}
