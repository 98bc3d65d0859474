import { Agent } from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { queryAt } from './__fixtures__/query-at.ts'
import { unusedQueue } from './__fixtures__/unused-queue.ts'
import { postgresSessions } from './postgres-sessions.ts'

// The clock of this machine is an hour off. That of the database is not.

const hour = 3_600_000
const machine = Date.now
let agent: Agent
let url: string
beforeEach(async () => {
  url = await testDatabase()
  const sessions = postgresSessions(url, { queue: unusedQueue })
  agent = new Agent({ name: 'Helper', functions: [], model: scriptedModel(['Hello.']), sessions })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await agent.close()
})

it.each([hour, -hour])('makes a schedule by the clock of the database, with its first call (%i ms)', async (offset) => {
  vi.spyOn(Date, 'now').mockImplementation(() => machine() + offset)
  await agent.schedule('each minute', { cron: '* * * * *' }, 'Write.')
  const [row] = (await queryAt(
    url,
    'SELECT next_at::float8 - extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms FROM agentkit.schedules',
  )) as { ms: number }[]
  expect(row?.ms).toBeGreaterThan(-hour / 4)
  expect(row?.ms).toBeLessThan(hour / 4)
})

it.each([hour, -hour])(
  'counts on by the time that passes when the clock of its machine is set (%i ms)',
  async (offset) => {
    const runs = agent.sessions.runs ?? expect.fail()
    await agent.runs()
    const before = runs.now()
    const now = vi.spyOn(Date, 'now').mockImplementation(() => machine() + offset)
    expect(Math.abs(runs.now() - before)).toBeLessThan(hour / 4)
    // Once it has read the clock of the database again, and when the machine's clock is right again.
    await agent.runs()
    expect(Math.abs(runs.now() - before)).toBeLessThan(hour / 4)
    now.mockRestore()
    expect(Math.abs(runs.now() - before)).toBeLessThan(hour / 4)
  },
)

it('removes old sessions by the clock of the database, with its first call', async () => {
  await agent.chat('Hi.', { userId: 'ann', sessionId: 's1' })
  vi.spyOn(Date, 'now').mockImplementation(() => machine() + hour)
  const other = postgresSessions(url, { queue: unusedQueue })
  expect(await other.runs?.prune({ sessionsMs: hour / 2 })).toMatchObject({ sessions: 0 })
  await other.close()
})

it('writes whole milliseconds when the clock of its machine is set, before it has read that of the database again', async () => {
  const runs = agent.sessions.runs ?? expect.fail()
  await agent.runs()
  const now = vi.spyOn(Date, 'now').mockImplementation(() => machine() + hour)
  expect(Number.isInteger(runs.now())).toBe(true)
  // It is set again before the answer of the database.
  now.mockImplementation(() => machine() + Math.floor(performance.now()) * 5_000)
  await runs.background?.beatWorker('worker', ['helper'])
  expect(await runs.background?.takeNotices(['helper'], { limit: 1, leaseMs: 1_000 })).toEqual([])
})

it('writes by the clock of the database after its machine has slept, when its timers have stood still', async () => {
  const place = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
  const run = { agentId: 'helper', expectedVersion: 0, input: [], isResumable: false, keepsEvents: false }
  const runs = agent.sessions.runs ?? expect.fail()
  await runs.create(place, { ...run, runId: 'first' })
  const before = runs.now()
  const passed = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => passed() - hour)
  await runs.create({ ...place, sessionId: 's2' }, { ...run, runId: 'second' })
  const { record } = (await runs.read('second')) ?? expect.fail()
  expect(Math.abs(Date.parse(record.createdAt) - before)).toBeLessThan(hour / 4)
})
