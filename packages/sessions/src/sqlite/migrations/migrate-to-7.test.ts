import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { prepareStatements } from '../statements/statements.ts'
import { migrate, migrations } from './migrations.ts'

const sessionColumns = 'id, agent_id, user_id, session_id, version, created_at, updated_at'
const runColumns = 'run_id, session, agent_id, user_id, status, root, created_at'

function databaseOfVersion6(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db', { steps: migrations.slice(0, 6) })
  database.exec(`INSERT INTO sessions (${sessionColumns}) VALUES
    (1, 'helper', 'ann', 's1', 0, 1, 5), (2, 'helper', 'ann', 's2', 0, 1, 7), (3, 'helper', 'ann', 's3', 0, 1, 5),
    (4, 'helper', 'bob', 's1', 0, 1, 9), (5, 'other', 'ann', 's1', 0, 1, 9)`)
  database.exec(`INSERT INTO runs (${runColumns}) VALUES
    ('r1', 1, 'helper', 'ann', 'failed', NULL, 1), ('r2', 1, 'helper', 'ann', 'done', NULL, 1),
    ('r3', 4, 'helper', 'bob', 'failed', NULL, 1), ('r2/call', 1, 'helper', 'ann', 'failed', 'r2', 1),
    ('r4', 5, 'other', 'ann', 'failed', NULL, 1), ('r5', 2, 'helper', 'ann', 'failed', NULL, 1)`)
  return database
}

const before = Number.MAX_SAFE_INTEGER
const helper = { agentId: 'helper', status: 'failed', before, limit: 10 }

it('lists the sessions and runs that version 6 has stored in the same order', () => {
  const database = databaseOfVersion6()
  migrate(database, 'sessions.db')
  const { listSessions, runsOfAgent, endedRunsOfAgent, endedRunsOfOwner } = prepareStatements(database)
  const namesOf = (rows: Record<string, unknown>[], name: string): unknown[] => rows.map((row) => row[name])
  expect(namesOf(listSessions.all('helper', 'ann', before, before, 10), 'session_id')).toEqual(['s2', 's3', 's1'])
  expect(namesOf(listSessions.all('helper', 'ann', 5, 3, 10), 'session_id')).toEqual(['s1'])
  expect(namesOf(runsOfAgent.all('helper', before, null, null, 10), 'run_id')).toEqual(['r5', 'r3', 'r2', 'r1'])
  expect(namesOf(endedRunsOfAgent.all(helper), 'run_id')).toEqual(['r5', 'r3', 'r1'])
  expect(namesOf(endedRunsOfOwner.all({ ...helper, userId: 'ann' }), 'run_id')).toEqual(['r5', 'r1'])
  database.close()
})

it('reads a page of the sessions of a user, and of all or the failed runs of an agent or a user, by an index', () => {
  const database = databaseOfVersion6()
  migrate(database, 'sessions.db')
  const planOf = ({ sourceSQL }: StatementSync): string =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sourceSQL}`)
      .all()
      .map(({ detail }) => detail)
      .join('\n')
  const { listSessions, runsOfAgent, endedRunsOfAgent, endedRunsOfOwner } = prepareStatements(database)
  expect(planOf(listSessions)).toContain(
    'SEARCH sessions USING INDEX sessions_of_owner (agent_id=? AND user_id=? AND updated_at<?)',
  )
  expect(planOf(runsOfAgent)).toContain('SEARCH runs USING INDEX runs_of_agent (agent_id=? AND <expr><?)')
  expect(planOf(endedRunsOfAgent)).toContain(
    'SEARCH runs USING INDEX ended_of_agent (agent_id=? AND status=? AND <expr><?)',
  )
  // Not all that have failed: those of others may be many.
  expect(planOf(endedRunsOfOwner)).toContain(
    'SEARCH runs USING INDEX ended_of_owner (agent_id=? AND user_id=? AND status=? AND <expr><?)',
  )
  for (const statement of [listSessions, runsOfAgent, endedRunsOfAgent, endedRunsOfOwner])
    expect(planOf(statement)).not.toContain('TEMP B-TREE')
  database.close()
})
