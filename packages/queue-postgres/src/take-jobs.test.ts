import type { QueuedJob, RunQueue, TakenJob } from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postgresQueue } from './postgres-queue.ts'
import { takeJobs } from './take-jobs.ts'

let url: string
let queue: RunQueue
const opened: RunQueue[] = []

function open(): RunQueue {
  const another = postgresQueue(url)
  opened.push(another)
  return another
}

beforeEach(async () => {
  url = await testDatabase()
  queue = open()
})
afterEach(async () => {
  for (const another of opened.splice(0)) await another.close()
})

const job = (runId: string, userId: string): QueuedJob => ({ runId, agentId: 'writer', userId })
const jobs = (count: number, userId: string): QueuedJob[] =>
  Array.from({ length: count }, (_, index) => job(`${userId}-${index}`, userId))
const take = (limit: number, from = queue): Promise<TakenJob[]> => from.take({ agentIds: ['writer'], limit })
const idsOf = (taken: readonly TakenJob[]): string[] => taken.map(({ runId }) => runId)

describe('users', () => {
  it('take turns, however many jobs one of them has', async () => {
    await queue.add(jobs(10_000, 'ann'))
    await queue.add(jobs(10, 'bob'))
    const taken = await take(50)
    const [ann, bob] = ['ann', 'bob'].map((userId) => taken.filter((each) => each.userId === userId))
    expect([ann?.length, bob?.length]).toEqual([40, 10])
    expect(taken.slice(0, 20).filter(({ userId }) => userId === 'bob')).toHaveLength(10)
  })

  it('who have fewer taken over all workers come first', async () => {
    await queue.add(jobs(30, 'ann'))
    await take(20)
    await queue.add(jobs(5, 'bob'))
    expect(new Set((await take(5, open())).map(({ userId }) => userId))).toEqual(new Set(['bob']))
    expect(idsOf(await take(3))).toEqual(['ann-20', 'ann-21', 'ann-22'])
  })

  it('are served in turn at one place, also when one always has older jobs', async () => {
    await queue.add(jobs(20, 'ann'))
    await queue.add([...jobs(3, 'bob'), ...jobs(3, 'cid')])
    const order: string[] = []
    for (let count = 0; count < 9; count++) {
      const [taken] = await take(1)
      order.push(taken?.userId ?? '')
      await queue.settle(taken as TakenJob)
    }
    expect(order.join(' ')).toBe('ann bob cid ann bob cid ann bob cid')
  })

  it('are all served when there are more of them than places', async () => {
    await queue.add(Array.from({ length: 300 }, (_, index) => job(`r${index}`, `user ${index}`)))
    const taken: string[] = []
    for (let count = 0; count < 300; count += 7) taken.push(...idsOf(await take(7)))
    expect(new Set(taken).size).toBe(300)
  })

  it('with 10,000 jobs cost a worker no more than users with a few', async () => {
    await queue.add([...jobs(10_000, 'ann'), ...jobs(10, 'bob')])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const explained = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${takeJobs}`, [
        ['writer'],
        '',
        10,
        26,
      ])
      const [{ Plan: plan }] = explained.rows[0]['QUERY PLAN']
      // A walk over the jobs would read thousands.
      expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(1_000)
    } finally {
      await client.end()
    }
  })
})
