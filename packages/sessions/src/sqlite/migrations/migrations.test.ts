import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { migrate, migrations } from './migrations.ts'

function tables(database: DatabaseSync): unknown[] {
  return database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map((row) => row.name)
}

function version(database: DatabaseSync): unknown {
  return database.prepare('PRAGMA user_version').get()?.user_version
}

it('creates every table of an empty file, once', () => {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db')
  migrate(database, 'sessions.db')
  expect(tables(database)).toEqual([
    ...[
      'answers',
      'approvals',
      'calls',
      'events',
      'holders',
      'job_turns',
      'jobs',
      'memory',
      'messages',
      'notices',
      'run_counts',
      'runs',
    ],
    ...['schedules', 'sessions', 'shared_budgets', 'traces', 'workers'],
  ])
  expect(version(database)).toBe(migrations.length)
})

it('migrates an older file by the steps that it lacks, and keeps its data', () => {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db')
  database.exec("INSERT INTO holders VALUES ('a', 'host', 1, 0, 5)")
  const newer = [...migrations, "ALTER TABLE holders ADD COLUMN name TEXT NOT NULL DEFAULT 'none'"]
  migrate(database, 'sessions.db', { steps: newer })
  expect(version(database)).toBe(newer.length)
  expect({ ...database.prepare('SELECT * FROM holders').get() }).toMatchObject({ id: 'a', heartbeat: 5, name: 'none' })
})

it('does nothing when another process was faster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  const path = join(folder, 'sessions.db')
  const faster = new DatabaseSync(path)
  class Slower extends DatabaseSync {
    override exec(text: string): void {
      if (text === 'BEGIN IMMEDIATE') migrate(faster, 'sessions.db')
      super.exec(text)
    }
  }
  const slower = new Slower(path)
  migrate(slower, 'sessions.db')
  expect(version(slower)).toBe(migrations.length)
  expect(slower.isTransaction).toBe(false)
  slower.close()
  faster.close()
  await rm(folder, { recursive: true })
})

it('changes nothing when a step fails', () => {
  const database = new DatabaseSync(':memory:')
  expect(() => migrate(database, 'sessions.db', { steps: [...migrations, 'CREATE TABLE more (id); BROKEN'] })).toThrow(
    'BROKEN',
  )
  expect(tables(database)).toEqual([])
  expect(version(database)).toBe(0)
  expect(database.isTransaction).toBe(false)
})

it('changes nothing when a row refers to a missing one', () => {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db', { steps: migrations.slice(0, 1) })
  database.exec("PRAGMA foreign_keys = OFF; INSERT INTO messages VALUES (7, 0, '{}')")
  expect(() => migrate(database, 'sessions.db')).toThrow('a row of its table messages refers to a missing row')
  expect(version(database)).toBe(1)
})

it('refuses a file of a newer version, and one of another application', () => {
  const newer = new DatabaseSync(':memory:')
  newer.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  expect(() => migrate(newer, 'sessions.db')).toThrow('Update the package')
  const other = new DatabaseSync(':memory:')
  other.exec('CREATE TABLE recipes (id)')
  expect(() => migrate(other, 'sessions.db')).toThrow('holds something else than sessions')
  expect(tables(other)).toEqual(['recipes'])
})

it('allows one run per session to hold it', () => {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db')
  database.exec(`INSERT INTO sessions (id, agent_id, user_id, session_id, version, created_at, updated_at)
    VALUES (1, 'a', 'u', 's', 0, 0, 0)`)
  const insert = database.prepare(
    `INSERT INTO runs (run_id, session, agent_id, user_id, status, holder, holds_session, created_at)
      VALUES (?, 1, 'a', 'u', ?, ?, ?, 0)`,
  )
  insert.run('r1', 'done', null, 1)
  insert.run('r2', 'running', 'h', 1)
  insert.run('decided', 'running', null, 0)
  expect(() => insert.run('r3', 'running', 'h', 1)).toThrow('UNIQUE')
  expect(() => insert.run('released', 'running', null, 1)).toThrow('UNIQUE')
})

it('stores bodies outside the B-tree of their key, so that look-ups do not read them', () => {
  const database = new DatabaseSync(':memory:')
  migrate(database, 'sessions.db')
  const { sql } = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'messages'").get() as { sql: string }
  expect(sql).not.toContain('WITHOUT ROWID')
  database.close()
})
