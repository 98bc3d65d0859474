import type { QueuedJob, RunQueue, TakenJob } from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import pg from 'pg'
import { TestClock } from 'pg-boss'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openBoss } from './open-boss.ts'
import { postgresQueue } from './postgres-queue.ts'
import { table } from './settings.ts'

let url: string
let clock: TestClock
let queue: RunQueue
const opened: RunQueue[] = []

function open(): RunQueue {
  const another = postgresQueue({ connectionString: url, clock })
  opened.push(another)
  return another
}

beforeEach(async () => {
  url = await testDatabase()
  clock = new TestClock()
  queue = open()
})
afterEach(async () => {
  for (const another of opened.splice(0).reverse()) await another.close()
})

const job = (runId: string, more: Partial<QueuedJob> = {}): QueuedJob => ({
  runId,
  agentId: 'writer',
  userId: 'ann',
  ...more,
})
const jobs = (count: number, userId: string): QueuedJob[] =>
  Array.from({ length: count }, (_, index) => job(`${userId}-${index}`, { userId }))
const take = (limit = 50, from = queue): Promise<TakenJob[]> => from.take({ agentIds: ['writer'], limit })
const idsOf = (taken: readonly TakenJob[]): string[] => taken.map(({ runId }) => runId)

describe('postgresQueue', () => {
  it('delivers a job to one worker, with the ids of its run', async () => {
    await queue.add([job('r1', { userId: 'Ann \0 “é”' })])
    const [first, second] = await Promise.all([take(), take(50, open())])
    expect([...first, ...second]).toEqual([
      { runId: 'r1', agentId: 'writer', userId: 'Ann \0 “é”', token: expect.any(String) },
    ])
  })

  it('delivers only jobs of the agents that a worker has, in one call for all of them', async () => {
    await queue.add([job('r1'), job('r2', { agentId: 'reader' }), job('r3', { agentId: 'painter' })])
    expect(idsOf(await queue.take({ agentIds: ['reader', 'writer'], limit: 10 })).sort()).toEqual(['r1', 'r2'])
    expect(await queue.take({ agentIds: [], limit: 10 })).toEqual([])
  })

  it('delivers one job of a session at a time, in order, beside those of other sessions', async () => {
    const session = Array.from({ length: 60 }, (_, index) => job(`s${index}`, { sessionKey: 'q3' }))
    await queue.add([...session, job('other', { sessionKey: 'q4' }), job('none')])
    const [first, ...rest] = await take(10)
    expect([first?.runId, ...idsOf(rest).sort()]).toEqual(['s0', 'none', 'other'])
    expect(await take()).toEqual([])
    for (let index = 1, current = first; index < 5 && current; index++) {
      await queue.settle(current)
      const next = await take()
      expect(idsOf(next)).toEqual([`s${index}`])
      current = next[0]
    }
  })

  it('delivers one job of a session when many workers ask at once', async () => {
    await queue.add(Array.from({ length: 20 }, (_, index) => job(`s${index}`, { sessionKey: 'q3' })))
    const workers = Array.from({ length: 6 }, () => open())
    await Promise.all(workers.map((worker) => worker.migrate()))
    for (let round = 0; round < 10; round++) {
      const taken = (await Promise.all(workers.map((worker) => take(3, worker)))).flat()
      expect(idsOf(taken)).toEqual([`s${round}`])
      await Promise.all(taken.map((each) => queue.settle(each)))
    }
  })

  it('takes nothing of a session of which another worker takes a job at this moment', async () => {
    await queue.add([
      job('s0', { sessionKey: 'q3', startAfter: clock.now() + 60_000 }),
      job('s1', { sessionKey: 'q3' }),
    ])
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    const busy = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    try {
      await other.query(`BEGIN; UPDATE ${table} SET state = 'active' WHERE data->>'runId' = 's0'`)
      const taking = take()
      await expect.poll(async () => (await other.query(busy)).rows.length, { timeout: 30_000 }).toBe(1)
      await other.query('COMMIT')
      expect(await taking).toEqual([])
    } finally {
      await other.end()
    }
  })

  it("delivers a user's jobs by priority, then in the order in which they were added", async () => {
    await queue.add([job('low', { priority: -5 }), job('first'), job('second')])
    await queue.add([job('third'), job('high', { priority: 5 })])
    const order: string[] = []
    for (let count = 0; count < 5; count++) order.push(...idsOf(await take(1)))
    expect(order).toEqual(['high', 'first', 'second', 'third', 'low'])
  })

  it('keeps the order of 5,000 jobs that were added at once', async () => {
    await queue.add(jobs(5_000, 'ann'))
    const taken: string[] = []
    while (taken.length < 5_000) taken.push(...idsOf(await take(1_000)))
    expect(taken).toEqual(jobs(5_000, 'ann').map(({ runId }) => runId))
  })

  it('delivers a job when it is due', async () => {
    await queue.add([
      job('later', { startAfter: clock.now() + 60_000 }),
      job('earlier', { startAfter: clock.now() - 1 }),
    ])
    const taken = await take()
    expect(idsOf(taken)).toEqual(['earlier'])
    // A job that is not kept would be delivered again meanwhile.
    for (const job of taken) await queue.settle(job)
    await clock.setTime(clock.now() + 59_000)
    expect(await take()).toEqual([])
    await clock.setTime(clock.now() + 2_000)
    expect(idsOf(await take())).toEqual(['later'])
  })

  it('delivers a returned job again after its time, in its place, as another delivery', async () => {
    await queue.add([job('r1'), job('r2')])
    const [first] = await take(1)
    await queue.settle(first as TakenJob, { afterMs: 5_000 })
    expect(await queue.missing(['r1'])).toEqual([])
    expect(await queue.keep([first as TakenJob])).toEqual([first])
    await clock.setTime(clock.now() + 5_001)
    const [again] = await take(1)
    expect(again).toMatchObject({ runId: 'r1' })
    await queue.settle(first as TakenJob) // an earlier delivery of it ends nothing
    await queue.settle(first as TakenJob, { afterMs: 0 })
    expect(await queue.keep([again as TakenJob])).toEqual([])
  })

  it('knows which runs have no open job, also of one that was added twice', async () => {
    await queue.add([job('queued'), job('taken', { priority: 1 }), job('ended', { priority: 2 }), job('twice')])
    await queue.add([job('twice')])
    const [ended] = await take(2)
    await queue.settle(ended as TakenJob)
    expect((await queue.missing(['queued', 'taken', 'ended', 'twice', 'unknown'])).sort()).toEqual(['ended', 'unknown'])
    expect(await queue.missing([])).toEqual([])
  })

  it('counts jobs by agent, and how long the oldest one that is due has waited', async () => {
    expect(await queue.counts()).toEqual([])
    await queue.add([job('r1'), job('r2', { agentId: 'reader' }), job('r3', { startAfter: clock.now() + 60_000 })])
    await clock.setTime(clock.now() + 4_000)
    await queue.take({ agentIds: ['reader'], limit: 1 })
    expect(await queue.counts()).toEqual([
      { agentId: 'reader', queued: 0, taken: 1, oldestMs: 0 },
      { agentId: 'writer', queued: 2, taken: 0, oldestMs: 4_000 },
    ])
  })

  it('removes all jobs, also those that are taken, and takes new ones', async () => {
    await queue.add([job('r1'), job('r2', { sessionKey: 'q3' })])
    const taken = await take(2)
    await queue.clear()
    expect(await queue.keep(taken)).toEqual(taken)
    expect(await queue.missing(['r1', 'r2'])).toEqual(['r1', 'r2'])
    await queue.add([job('r2', { sessionKey: 'q3' })])
    expect(idsOf(await take())).toEqual(['r2'])
  })

  it.each([
    [{ priority: 0.5 }, 'The priority of the run "r1" is 0.5'],
    [{ priority: 1e10 }, 'within ±1,000,000,000'],
    [{ startAfter: Number.NaN }, 'The run "r1" starts after NaN'],
  ])('refuses a job with %j', async (wrong, words) => {
    await expect(queue.add([job('r0'), job('r1', wrong)])).rejects.toThrow(words)
    expect(await queue.counts()).toEqual([])
  })
})

describe('a worker that dies', () => {
  it('loses its jobs to another one after 10 s, and its late writes change nothing', async () => {
    const boss = await openBoss(url, clock)
    await queue.add([job('r1'), job('r2')])
    const taken = await take()
    await clock.setTime(clock.now() + 9_000)
    await boss.supervise()
    expect(await queue.keep(taken.slice(0, 1))).toEqual([])
    await clock.setTime(clock.now() + 2_000)
    await boss.supervise()
    const other = open()
    const [again] = await take(50, other)
    expect(again?.runId).toBe('r2')
    expect(await queue.keep(taken)).toEqual([taken[1]])
    await queue.settle(taken[1] as TakenJob)
    expect(await other.keep([again as TakenJob])).toEqual([])
    await boss.stop({ graceful: false })
  })
})

describe('onReady', () => {
  it('calls workers of other processes when their agents have jobs', async () => {
    const other = open()
    // Two test clocks of pg-boss that attach at once fail.
    await other.counts()
    const calls: string[] = []
    const stop = other.onReady(['writer'], () => calls.push('writer'))
    other.onReady(['reader'], () => calls.push('reader'))
    // The first call says that something may have been missed before.
    await expect.poll(() => new Set(calls), { timeout: 30_000 }).toEqual(new Set(['writer', 'reader']))
    calls.length = 0
    await queue.add([job('r1')])
    await expect.poll(() => calls, { timeout: 30_000 }).toContain('writer')
    expect(calls).not.toContain('reader')
    stop()
    calls.length = 0
    await queue.add([job('r2'), job('r3', { agentId: 'reader' })])
    await expect.poll(() => calls, { timeout: 30_000 }).toContain('reader')
    expect(calls).not.toContain('writer')
  })

  it('calls a worker of the same process when its jobs are there', async () => {
    let calls = 0
    queue.onReady(['writer'], () => calls++)
    await queue.add([job('r1')])
    expect(calls).toBeGreaterThan(0)
  })
})
