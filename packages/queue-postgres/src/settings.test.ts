import type { QueuedJob, RunQueue, TakenJob } from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import { type PgBoss, TestClock } from 'pg-boss'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openBoss } from './open-boss.ts'
import { postgresQueue } from './postgres-queue.ts'
import { queueName, table } from './settings.ts'
import { lock, supervisors } from './worker-connection.ts'

// Each test fails with pg-boss's default for its setting.

const second = 1_000
const hour = 3_600 * second
const day = 24 * hour

let clock: TestClock
let queue: RunQueue
let boss: PgBoss

beforeEach(async () => {
  const connectionString = await testDatabase()
  clock = new TestClock()
  queue = postgresQueue({ connectionString, clock })
  boss = await openBoss(connectionString, clock)
  await standStill()
})
afterEach(async () => {
  await boss.stop({ graceful: false })
  await queue.close()
})

const job = (runId: string, more: Partial<QueuedJob> = {}): QueuedJob => ({
  runId,
  agentId: 'writer',
  userId: 'ann',
  ...more,
})
const take = (): Promise<TakenJob[]> => queue.take({ agentIds: ['writer'], limit: 50 })
const idsOf = (taken: readonly TakenJob[]): string[] => taken.map(({ runId }) => runId)
const pass = (ms: number): Promise<void> => clock.setTime(clock.now() + ms)
async function rows(columns: string): Promise<unknown[]> {
  return (await boss.getDb().executeSql(`SELECT ${columns} FROM ${table} ORDER BY id`)).rows
}

it('heartbeatSeconds: a job that is not kept comes back after 10 s', async () => {
  await queue.add([job('r1')])
  await take()
  await pass(9 * second)
  await boss.supervise()
  expect(await take()).toEqual([])
  await pass(2 * second)
  await boss.supervise()
  expect(idsOf(await take())).toEqual(['r1'])
})

it('monitorIntervalSeconds: lost jobs are looked for each second', async () => {
  await queue.add([job('r1'), job('r2')])
  const [r1, r2] = await take()
  await pass(9 * second)
  await queue.keep([r2 as TakenJob])
  await pass(2 * second)
  await boss.supervise()
  expect(idsOf(await take())).toEqual(['r1'])
  await queue.settle(r1 as TakenJob)
  await pass(9 * second)
  await boss.supervise()
  expect(idsOf(await take())).toContain('r2')
})

it('expireInSeconds: a job that is kept stays with its worker for a day', async () => {
  await queue.add([job('r1')])
  const taken = await take()
  await pass(22 * hour)
  expect(await queue.keep(taken)).toEqual([])
  await boss.supervise()
  expect(await queue.keep(taken)).toEqual([])
})

it('renewAfterHours: a job that is kept stays with its worker for weeks, as the same delivery', async () => {
  await queue.add([job('r1'), job('r2')])
  const [r1, r2] = await take()
  for (let hours = 0; hours < 60; hours += 0.8) {
    await pass(0.8 * hour)
    expect(await queue.keep([r1 as TakenJob, r2 as TakenJob])).toEqual([])
    await boss.supervise()
  }
  expect(await take()).toEqual([])
  expect(await rows('retry_count')).toEqual([{ retry_count: 0 }, { retry_count: 0 }])
})

it('retryLimit: a job comes back however often its worker dies, and never fails', async () => {
  await queue.add([job('r1')])
  for (let deaths = 0; deaths < 6; deaths++) {
    expect(idsOf(await take())).toEqual(['r1'])
    await pass(11 * second)
    await boss.supervise()
  }
  expect(await rows('state, retry_limit')).toEqual([{ state: 'retry', retry_limit: 2 ** 31 - 1 }])
})

it('retentionSeconds: a job waits for a worker for 10 years', async () => {
  await queue.add([job('r1')])
  await pass(9.9 * 365 * day)
  await boss.supervise()
  expect(await queue.missing(['r1'])).toEqual([])
})

it('deleteAfterSeconds, maintenanceIntervalSeconds: completed jobs are deleted after a minute', async () => {
  await queue.add([job('r1')])
  await boss.supervise()
  const [taken] = await take()
  await queue.settle(taken as TakenJob)
  expect(await rows('state')).toEqual([{ state: 'completed' }])
  await pass(61 * second)
  await boss.supervise()
  expect(await rows('state')).toEqual([])
})

it('policy: Postgres refuses a second taken job of a session', async () => {
  await queue.add([job('r1', { sessionKey: 'q3' }), job('r2', { sessionKey: 'q3' })])
  await take()
  const seize = boss.getDb().executeSql(`UPDATE ${table} SET state = 'active' WHERE state = 'created'`)
  await expect(seize).rejects.toMatchObject({ code: '23505' })
})

it('keeps ids and the place in the session alone, where the dashboard of pg-boss shows them', async () => {
  await queue.add([job('r1', { sessionKey: 'q3', priority: 3 })])
  expect(await rows('data, singleton_key, group_id, group_tier, priority, policy')).toEqual([
    {
      data: { runId: 'r1', user: '"ann"', order: expect.any(Number) },
      ...{ singleton_key: 'q3', group_id: 'ann', group_tier: 'writer', priority: 3, policy: 'singleton' },
    },
  ])
})

it('schedule: pg-boss starts nothing by the clock, and has one queue', async () => {
  expect((await boss.getQueues()).map(({ name }) => name)).toEqual([queueName])
})

it('applies to a queue that an earlier version has made', async () => {
  await boss.updateQueue(queueName, { retryLimit: 2 })
  await queue.migrate()
  await queue.add([job('r1')])
  expect(await rows('retry_limit')).toEqual([{ retry_limit: 2 ** 31 - 1 }])
})

/** The queue itself looks for lost and old jobs each second, which may be between two steps of a test: only the test does. */
async function standStill(): Promise<void> {
  await boss.getDb().executeSql(`SELECT pg_advisory_lock(${lock}, place) FROM generate_series(1, ${supervisors}) place`)
}
