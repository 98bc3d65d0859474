import { Agent } from '@agentkit/core'
import { postgresQueue } from '@agentkit/queue-postgres'
import { testDatabase } from '@agentkit/test-postgres'
import { scriptedModel } from '@agentkit/testing'
import pg from 'pg'
import { expect, it } from 'vitest'
import { session } from '../../sqlite/__fixtures__/background.ts'
import { queryAt } from '../__fixtures__/query-at.ts'
import { postgresSessions } from '../postgres-sessions.ts'

it.each(['was', 'is being'])('stores a run whose session %s deleted meanwhile in a new session', async (when) => {
  const url = await testDatabase()
  const sessions = postgresSessions(url, { queue: postgresQueue(url) })
  const agent = new Agent({ name: 'Ann', model: scriptedModel(['Done.']), sessions })
  await agent.chat('First.', session)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  // The run waits to be added, and has found its session.
  await other.query('BEGIN; LOCK TABLE agentkit.runs IN SHARE MODE')
  const enqueueing = agent.enqueue('Second.', session).catch((error) => error)
  await waiting(url, 1)
  if (when === 'was') await other.query('DELETE FROM agentkit.sessions')
  // The deletion has locked the session, and waits for the lock of the run.
  const deleting = when === 'was' ? undefined : sessions.delete({ agentId: 'ann', ...session })
  if (deleting) await waiting(url, 2)
  await other.query('COMMIT')
  await other.end()
  await deleting
  const { runId } = await enqueueing
  expect(await agent.runs(session)).toMatchObject([{ runId, status: 'queued' }])
  await sessions.close()
})

/** Waits until so many connections wait for a lock. */
async function waiting(url: string, count: number): Promise<void> {
  const text = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  await expect.poll(() => queryAt(url, text), { timeout: 10_000 }).toHaveLength(count)
}
