import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { prepareStatements, type Statements } from '../statements/statements.ts'
import { migrate, migrations } from './migrations.ts'

const columns = 'run_id, session, agent_id, user_id, status, holds_session, is_background, root, created_at'

function migrated(): Statements {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db', { steps: migrations.slice(0, 7) })
  database.exec(`INSERT INTO sessions (id, agent_id, user_id, session_id, version, created_at, updated_at) VALUES
    (1, 'helper', 'ann', 's1', 0, 1, 5), (2, 'helper', 'ann', 's2', 0, 1, 7), (3, 'helper', 'bob', 's3', 0, 1, 5)`)
  database.exec(`INSERT INTO runs (${columns}) VALUES
    ('done', 1, 'helper', 'ann', 'done', 1, 0, NULL, 1), ('waits', 1, 'helper', 'ann', 'waiting', 0, 0, NULL, 2),
    ('queued', 1, 'helper', 'ann', 'queued', 0, 1, NULL, 3), ('runs', 1, 'helper', 'ann', 'running', 1, 0, NULL, 4),
    ('decided', 2, 'helper', 'ann', 'running', 0, 0, NULL, 5), ('waits/call', 1, 'helper', 'ann', 'waiting', 0, 1, 'waits', 6),
    ('of bob', 3, 'helper', 'bob', 'waiting', 0, 0, NULL, 7), ('of other', 3, 'other', 'bob', 'queued', 0, 1, NULL, 8)`)
  database.exec("UPDATE runs SET ended_at = 9 WHERE status = 'done'")
  migrate(database, 'sessions.db')
  return prepareStatements(database)
}

const idsOf = (rows: Record<string, unknown>[]): unknown[] => rows.map((row) => row.run_id)

it('lists the open runs that version 7 has stored in the same order', () => {
  const { runningRunsOfAgent, runningRunsOfOwner, suspendedRunsOfAgent, suspendedRunsOfOwner, openRuns } = migrated()
  const page = { agentId: 'helper', before: Number.MAX_SAFE_INTEGER, limit: 10 }
  expect(idsOf(suspendedRunsOfAgent.all({ ...page, status: 'waiting' }))).toEqual(['of bob', 'waits'])
  expect(idsOf(suspendedRunsOfOwner.all({ ...page, status: 'waiting', userId: 'ann' }))).toEqual(['waits'])
  expect(idsOf(suspendedRunsOfAgent.all({ ...page, status: 'queued' }))).toEqual(['queued'])
  expect(idsOf(runningRunsOfAgent.all(page))).toEqual(['decided', 'runs'])
  expect(idsOf(runningRunsOfOwner.all({ ...page, userId: 'bob' }))).toEqual([])
  expect(idsOf(openRuns.all('["helper"]'))).toEqual(['runs', 'decided'])
})

it('reads no queued run to find those that run or wait, and the usage of a time alone', () => {
  const statements = migrated()
  const planOf = ({ sourceSQL }: StatementSync): string => {
    const database = new DatabaseSync(':memory:')
    migrate(database, 'sessions.db')
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sourceSQL}`).all()
    database.close()
    return rows.map(({ detail }) => detail).join('\n')
  }
  const suspended = [planOf(statements.suspendedRunsOfAgent), planOf(statements.suspendedRunsOfOwner)]
  expect(suspended).toEqual([
    expect.stringContaining('USING INDEX suspended_of_agent (agent_id=? AND status=? AND <expr><?)'),
    expect.stringContaining('USING INDEX suspended_of_owner (agent_id=? AND user_id=? AND status=? AND <expr><?)'),
  ])
  for (const plan of suspended) expect(plan).not.toContain('TEMP B-TREE')
  for (const { sourceSQL } of [statements.openRuns, statements.runningRunsOfAgent, statements.runningRunsOfOwner]) {
    expect(planOf({ sourceSQL } as StatementSync)).toMatch(/INDEX one_run_holds_session[\s\S]*INDEX decided_runs/)
  }
  for (const name of ['countUsage', 'usageByDay', 'usageByModel', 'usageBySession'] as const) {
    const ofTime = 'SEARCH runs USING INDEX runs_by_time (agent_id=? AND created_at>? AND created_at<?)'
    expect(planOf(statements[name])).toContain(ofTime)
    expect(planOf(statements[`${name}OfUser`])).toContain(
      'USING INDEX runs_of_owner_by_time (agent_id=? AND user_id=? AND created_at>? AND created_at<?)',
    )
  }
})
