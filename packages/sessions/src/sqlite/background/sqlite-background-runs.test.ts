import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TakenJob } from '@agentkit/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type BackgroundFile, openBackgroundFile } from '../__fixtures__/background-file.ts'
import { sqliteSessions } from '../sqlite-sessions.ts'

// Tests behaviour of SQLite that `backgroundRunsContract` does not require of every store.

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
const bounds = { queued: 100, userQueued: 100 }
const question = { v: 1, role: 'user', content: 'Hi' } as const
let folder: BackgroundFile['folder']
let store: BackgroundFile['store']
let runs: BackgroundFile['runs']
let background: BackgroundFile['background']
let close: BackgroundFile['close']
beforeEach(async () => {
  ;({ folder, store, runs, background, close } = await openBackgroundFile())
})
afterEach(() => close())

it('keeps none in memory, where no worker would find them', async () => {
  const memory = sqliteSessions(':memory:')
  expect(memory.runs).toBeDefined()
  expect(memory.runs?.background).toBeUndefined()
  await memory.close()
})

it('keeps the other runs of a shared session when a member is deleted', async () => {
  const shared = { agentId: 'helper/clerk', userId: 'ann', sessionId: 's1' }
  const entry = {
    agentId: 'helper/clerk',
    expectedVersion: 0,
    input: [question],
    isResumable: false,
    keepsEvents: false,
  }
  await runs.create(shared, { ...entry, runId: 'other' })
  await runs.end('other', { attempt: 1, status: 'done', finishReason: 'stop' })
  await begin('r1')
  await background.delegate('r1', { attempt: 1, members: [{ runId: 'member', key: shared, options: {} }] })
  await store.delete(key)
  expect(await runs.read('member')).toBeUndefined()
  expect((await runs.read('other'))?.record.status).toBe('done')
  expect((await store.load(shared))?.messages).toEqual([question])
})

it.each([1, -1])(
  'takes no job from a worker that lives when the clock jumps by %i hour, and lost ones later',
  async (hours) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    try {
      await enqueue('r1', 'r2')
      const { queue } = background
      const jobs = await background.unfinished(undefined, { limit: 2 })
      await queue.add(jobs.map((job) => ({ ...job, sessionKey: job.runId })))
      const take = (limit: number): Promise<TakenJob[]> => queue.take({ agentIds: ['helper'], limit })
      const [living] = (await take(1)) as [TakenJob]
      await take(1)
      vi.setSystemTime(Date.now() + hours * 3_600_000)
      expect(await take(9)).toEqual([])
      vi.advanceTimersByTime(3_000)
      expect(await queue.keep([living])).toEqual([])
      vi.advanceTimersByTime(9_000)
      // That of the other worker, which has not kept it.
      expect((await take(9)).map(({ runId }) => runId)).toEqual(['r2'])
      expect(await queue.keep([living])).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  },
)

it('puts the job of an earlier run first in its session, also when it is added later', async () => {
  await enqueue('r1', 'r2')
  const { queue } = background
  const jobs = await background.unfinished(undefined, { limit: 2 })
  const takeIds = async (): Promise<string[]> => {
    taken.push(...(await queue.take({ agentIds: ['helper'], limit: 5 })))
    return taken.map(({ runId }) => runId)
  }
  const taken: TakenJob[] = []
  // The job of r1 was lost, so that of r2 comes first, and cannot begin. A sweep adds the first one again.
  await queue.add(jobs.slice(1))
  expect(await takeIds()).toEqual(['r2'])
  await queue.add(jobs.slice(0, 1))
  expect(await takeIds()).toEqual(['r2'])
  await queue.settle(taken[0] as TakenJob, { afterMs: 0 }) // delivered above
  expect(await takeIds()).toEqual(['r2', 'r1'])
})

it('puts the job of a run that has begun before those that were accepted at the same time: they wait for it', async () => {
  await enqueue('r1', 'r2')
  const { queue } = background
  const jobs = await background.unfinished(undefined, { limit: 2 })
  await queue.add(jobs)
  const takeOne = async (): Promise<TakenJob> => {
    const [taken] = await queue.take({ agentIds: ['helper'], limit: 5 })
    return taken ?? expect.unreachable('no job is ready')
  }
  const first = await takeOne()
  await runs.takeOver(first.runId, { expectedVersion: 0, begin: { messages: [question] } })
  await runs.release(first.runId, 1)
  await queue.settle(first)
  const second = await takeOne()
  expect([first.runId, second.runId]).toEqual(['r1', 'r2'])
  await queue.settle(second, { afterMs: 60_000 }) // it cannot begin
  await queue.add(jobs.slice(0, 1))
  expect((await takeOne()).runId).toBe('r1')
})

it('names the run or the schedule whose row cannot be read', async () => {
  const times = { cron: '0 7 * * *', timeZone: 'UTC', missed: 'skip' } as const
  const schedule = { agentId: 'helper', ...times, userId: 'ann', entry: {}, nextAt: 1 }
  await background.setSchedule({ ...schedule, name: 'digest' })
  await background.setSchedule({ ...schedule, name: 'report' })
  await background.enqueue(
    [{ key, runId: 'r1', agentId: 'helper', options: {}, title: 'Hi', onBusy: 'queue', notifies: true }],
    bounds,
  )
  await runs.cancel('r1', { status: 'failed', finishReason: 'aborted' })
  const database = new DatabaseSync(join(folder, 'sessions.db'))
  database.exec("UPDATE schedules SET entry = '{half' WHERE name = 'digest'; UPDATE notices SET record = '{half'")
  database.close()
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  // The others are listed and started.
  for (const due of [{}, { dueBefore: 2 }]) {
    expect(await background.schedules(due)).toMatchObject([{ name: 'report' }])
  }
  const damaged = 'The schedule "digest" cannot be read: the session database is damaged. Set it again.'
  expect(warn.mock.calls).toEqual([[`agentkit: ${damaged}`]])
  warn.mockRestore()
  expect(await background.takeNotices(['helper'], { limit: 5, leaseMs: 1 })).toEqual([])
  const failed = expect.stringContaining('The notice of the run r1 cannot be read')
  expect(await background.undelivered('r1')).toMatchObject([{ tries: 1, failed }])
})

async function enqueue(...runIds: string[]): Promise<void> {
  const entry = { key, agentId: 'helper', options: {}, title: 'Hi', onBusy: 'queue' } as const
  await background.enqueue(
    runIds.map((runId) => ({ ...entry, runId })),
    bounds,
  )
}

async function begin(runId: string): Promise<void> {
  await enqueue(runId)
  await runs.takeOver(runId, { expectedVersion: 0, begin: { messages: [question] } })
}
