import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { migrate } from '../migrations/migrations.ts'
import { prepareStatements } from './statements.ts'

it('reads no table that grows with use from its first row to its last', () => {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db')
  const texts: string[] = []
  const prepare = database.prepare.bind(database)
  database.prepare = (text) => {
    texts.push(text)
    return prepare(text)
  }
  const statements = prepareStatements(database)
  // A store that is opened needs few of them.
  expect(texts).toEqual([])
  expect(statements.session).toBe(statements.session)
  expect(texts).toHaveLength(1)
  Object.values(statements)
  const plans = texts
    .filter((text) => !text.startsWith('PRAGMA'))
    .map((text) => [
      text,
      ...prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all()
        .map(({ detail }) => String(detail)),
    ])
  expect(plans.length).toBeGreaterThan(100)
  const growing = /^SCAN (?:sessions|runs|messages|calls|approvals|events|answers|notices|memory)\b(?!.* INDEX )/
  expect(plans.filter((plan) => plan.some((line) => growing.test(line)))).toEqual([])
  database.close()
})

it('reads the first and the last event of a run each by an index, not all between them', () => {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db')
  const { eventRange, eventRangeOfMember } = prepareStatements(database)
  for (const { sourceSQL } of [eventRange, eventRangeOfMember]) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sourceSQL}`).all()
    // Each of both is a query of its own, because SQLite reads all rows for two aggregates of one.
    expect(plan.filter(({ detail }) => String(detail).startsWith('SCALAR SUBQUERY'))).toHaveLength(2)
  }
  database.close()
})
