import { testDatabase } from '@agentkit/test-postgres'
import { expect, it } from 'vitest'
import { queryAt } from '../__fixtures__/query-at.ts'
import type { Access } from '../database/access.ts'
import { openDatabase } from '../database/database.ts'
import { postgresSessions } from '../postgres-sessions.ts'
import { prune } from './prune.ts'

it('tries to remove no session whose run is queued, running or waits', async () => {
  const url = await testDatabase()
  const store = postgresSessions(url)
  const key = { agentId: 'helper', userId: 'ann' }
  const statuses = ['running', 'waiting', 'queued', 'done']
  for (const status of statuses) {
    await store.begin({ ...key, sessionId: status }, { runId: status, expectedVersion: 0, input: [] })
    await queryAt(url, `UPDATE agentkit.runs SET status = '${status}' WHERE run_id = '${status}'`)
  }
  const database = openDatabase(
    { connectionString: url, schema: 'agentkit', poolSize: 1, retryMs: 1_000 },
    async () => {},
  )
  const tried: unknown[] = []
  const query: typeof database.query = (text, values) => {
    if (text.startsWith('DELETE FROM agentkit.sessions')) tried.push(...Object(values?.[0]))
    return database.query(text, values)
  }
  const holder = { readClock: async () => {}, now: () => Date.now() + 60_000 }
  const access = { database: { ...database, query }, holder, cache: { forget: () => {} } }
  // The parts that `prune` uses.
  const report = await prune(access as unknown as Access, { sessionsMs: 1, sessionsPerUser: 1 })
  expect(tried).toHaveLength(1)
  expect(report).toMatchObject({ sessions: 1, runs: 1 })
  const left = await store.list(key)
  expect(left.map(({ sessionId }) => sessionId).sort()).toEqual(['queued', 'running', 'waiting'])
  await database.close()
  await store.close()
})
