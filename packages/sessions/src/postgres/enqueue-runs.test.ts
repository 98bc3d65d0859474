import { Agent } from '@agentkit/core'
import { postgresQueue } from '@agentkit/queue-postgres'
import { testDatabase } from '@agentkit/test-postgres'
import { scriptedModel } from '@agentkit/testing'
import pg from 'pg'
import { expect, it } from 'vitest'
import { session } from '../sqlite/__fixtures__/background.ts'
import { queryAt } from './__fixtures__/query-at.ts'
import { postgresSessions } from './postgres-sessions.ts'

it('stores a run whose session is deleted at that moment, in a new session', async () => {
  const url = await testDatabase()
  const sessions = postgresSessions(url, { queue: postgresQueue(url) })
  const agent = new Agent({ name: 'Ann', model: scriptedModel(['Done.']), sessions })
  await agent.chat('First.', session)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('BEGIN; LOCK TABLE agentkit.runs IN SHARE MODE')
  const enqueueing = agent.enqueue('Second.', session).catch((error) => error)
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  await expect.poll(() => queryAt(url, waiting), { timeout: 10_000 }).toHaveLength(1)
  await other.query('DELETE FROM agentkit.sessions; COMMIT')
  await other.end()
  const { runId } = await enqueueing
  expect(await agent.runs(session)).toMatchObject([{ runId, status: 'queued' }])
  await sessions.close()
})
