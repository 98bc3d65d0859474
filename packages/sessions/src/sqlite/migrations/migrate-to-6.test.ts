import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { backgroundTexts } from '../statements/background-statements.ts'
import { runTexts } from '../statements/run-statements.ts'
import { migrate, migrations } from './migrations.ts'

const columns = 'run_id, session, agent_id, user_id, status, created_at'

function databaseOfVersion5(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db', { steps: migrations.slice(0, 5) })
  database.exec(`INSERT INTO sessions (id, agent_id, user_id, session_id, version, created_at, updated_at)
    VALUES (1, 'helper', 'ann', 's1', 0, 1, 1)`)
  for (const id of ['r1', 'r2', 'r3'])
    database.exec(`INSERT INTO runs (${columns}) VALUES ('${id}', 1, 'helper', 'ann', 'done', 1)`)
  return database
}

it('lists the runs that version 5 has stored in the same order', () => {
  const database = databaseOfVersion5()
  migrate(database, 'sessions.db')
  const page = [Number.MAX_SAFE_INTEGER, null, null, 10]
  const idsOf = (text: string, ...owner: string[]): unknown[] =>
    database
      .prepare(text)
      .all(...owner, ...page)
      .map((row) => row.run_id)
  expect(idsOf(runTexts.runsOfOwner, 'helper', 'ann')).toEqual(['r3', 'r2', 'r1'])
  expect(idsOf(runTexts.runsOfAgent, 'helper')).toEqual(['r3', 'r2', 'r1'])
  expect(idsOf(runTexts.runsOfUserSession, 'helper', 'ann', 's1')).toEqual(['r3', 'r2', 'r1'])
})

it('reads a page of runs by an index, and sorts those of a session alone', () => {
  const database = databaseOfVersion5()
  migrate(database, 'sessions.db')
  const planOf = (text: string): string =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all(...Array.from({ length: text.split('?').length - 1 }, () => null))
      .map((row) => row.detail)
      .join('\n')
  expect(planOf(runTexts.runsOfOwner)).toMatch(/^SEARCH runs USING INDEX runs_of_owner \(agent_id=\? AND user_id=\?/)
  for (const text of [runTexts.runsOfOwner, runTexts.runsOfAgent]) expect(planOf(text)).not.toContain('TEMP B-TREE')
  for (const text of [runTexts.runsOfUserSession, runTexts.runsOfSessions]) {
    expect(planOf(text)).toMatch(/SEARCH runs USING INDEX runs_of_session/)
  }
  expect(planOf(backgroundTexts.unfinishedRuns)).toMatch(/^SEARCH runs USING INDEX open_background/)
  expect(planOf(backgroundTexts.unfinishedRuns)).not.toContain('TEMP B-TREE')
  database.close()
})
