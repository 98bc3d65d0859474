import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { prepareStatements, type Statements } from '../statements/statements.ts'
import { migrate, migrations } from './migrations.ts'

const columns =
  'run_id, session, agent_id, user_id, status, is_background, root, attempt, ready_at, waiting_since, created_at'

function databaseOfVersion8(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db', { steps: migrations.slice(0, 8) })
  database.exec(`INSERT INTO sessions (id, agent_id, user_id, session_id, version, created_at, updated_at) VALUES
    (1, 'helper', 'ann', 's1', 0, 1, 1), (2, 'other', 'bob', 's2', 0, 1, 1)`)
  database.exec(`INSERT INTO runs (${columns}) VALUES
    ('done', 1, 'helper', 'ann', 'done', 1, NULL, 2, 1, NULL, 1), ('failed', 1, 'helper', 'ann', 'failed', 0, NULL, 1, NULL, NULL, 2),
    ('q1', 1, 'helper', 'ann', 'queued', 1, NULL, 0, 30, NULL, 3), ('q2', 1, 'helper', 'ann', 'queued', 1, NULL, 1, 20, NULL, 4),
    ('q1/call', 1, 'helper', 'ann', 'queued', 1, 'q1', 0, 5, NULL, 5), ('waits', 2, 'other', 'bob', 'waiting', 1, NULL, 1, 1, 8, 6)`)
  return database
}

function migrated(): { database: DatabaseSync; statements: Statements } {
  const database = databaseOfVersion8()
  migrate(database, 'sessions.db')
  return { database, statements: prepareStatements(database) }
}

const countsOf = ({ backgroundCounts }: Statements): string[] =>
  backgroundCounts.all().map(({ agent_id, status, runs, attempts }) => `${agent_id} ${status} ${runs} ${attempts}`)

it('counts the background runs that version 8 has stored', () => {
  const { database, statements } = migrated()
  expect(countsOf(statements)).toEqual(['helper done 1 2', 'helper queued 2 1', 'other waiting 1 1'])
  expect(statements.queuedRuns.get()).toEqual({ runs: 2 })
  expect(statements.oldestQueued.all()).toEqual([{ agent_id: 'helper', oldest: 20 }])
  database.close()
})

it('counts as runs are added, begun, retried and deleted, with their sessions too', () => {
  const { database, statements } = migrated()
  database.exec(
    "UPDATE runs SET status = 'running', holds_session = 0, attempt = attempt + 1 WHERE run_id IN ('q2', 'q1/call')",
  )
  expect(countsOf(statements)).toEqual([
    'helper done 1 2',
    'helper queued 1 0',
    'helper running 1 2',
    'other waiting 1 1',
  ])
  database.exec("UPDATE runs SET status = 'queued', is_background = 1 WHERE run_id = 'failed'")
  database.exec("UPDATE runs SET is_background = 1 WHERE run_id = 'done'")
  expect(countsOf(statements)).toContain('helper queued 2 1')
  database.exec(`INSERT INTO runs (${columns}) VALUES ('q3', 2, 'other', 'bob', 'queued', 1, NULL, 0, 9, NULL, 7)`)
  expect(statements.queuedRuns.get()).toEqual({ runs: 3 })
  database.exec('PRAGMA foreign_keys = ON; DELETE FROM sessions WHERE id = 1')
  expect(countsOf(statements)).toEqual(['other queued 1 0', 'other waiting 1 1'])
  database.exec('DELETE FROM sessions')
  expect(countsOf(statements)).toEqual([])
  expect(statements.queuedRuns.get()).toEqual({ runs: 0 })
  database.close()
})

it('reads counts and due schedules by themselves, and passes over the runs of other agents within an index', () => {
  const { database, statements } = migrated()
  const planOf = ({ sourceSQL }: StatementSync): string =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sourceSQL}`)
      .all()
      .map(({ detail }) => detail)
      .join('\n')
  expect(planOf(statements.queuedRuns)).toBe('SCAN run_counts')
  expect(planOf(statements.backgroundCounts)).toBe('SCAN run_counts')
  expect(planOf(statements.oldestQueued)).toContain('USING INDEX queued_of_agent (agent_id=?)')
  expect(planOf(statements.dueSchedules)).toContain('USING INDEX due_schedules (agent_id=? AND next_at<?)')
  // The agent is compared before the row of a run is read.
  const indexed = database.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE name IN ('open_background', 'waiting_runs')",
  )
  for (const { sql } of indexed.all()) expect(sql).toContain(', agent_id)')
  expect(planOf(statements.unfinishedRuns)).toMatch(/^SEARCH runs USING INDEX open_background \(<expr>>\?\)/)
  expect(planOf(statements.waitingBefore)).toContain('USING INDEX waiting_runs (waiting_since<?)')
  for (const statement of [statements.unfinishedRuns, statements.waitingBefore])
    expect(planOf(statement)).not.toContain('TEMP B-TREE')
  database.close()
})

it('lists ended runs of one status in the order of all, however many others there are', () => {
  const { database, statements } = migrated()
  const page = { agentId: 'helper', before: Number.MAX_SAFE_INTEGER, limit: 10 }
  const idsOf = (rows: Record<string, unknown>[]): unknown[] => rows.map((row) => row.run_id)
  expect(idsOf(statements.endedRunsOfAgent.all({ ...page, status: 'done' }))).toEqual(['done'])
  expect(idsOf(statements.endedRunsOfOwner.all({ ...page, status: 'failed', userId: 'ann' }))).toEqual(['failed'])
  expect(idsOf(statements.endedRunsOfOwner.all({ ...page, status: 'done', userId: 'bob' }))).toEqual([])
  database.close()
})
