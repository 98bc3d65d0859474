import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inspectSQLite } from './inspect-sqlite.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

const { signal } = new AbortController()
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-inspect-'))
  path = join(folder, 'sessions.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function database(sql: string): void {
  const file = new DatabaseSync(path)
  file.exec(sql)
  file.close()
}

it('a file that is in use is sound, and gets no other files', async () => {
  const store = sqliteSessions(path)
  await store.load({ agentId: 'a', userId: 'b', sessionId: 'c' })
  const before = readdirSync(folder)
  expect(await inspectSQLite(path, signal)).toMatchObject({ status: 'ok' })
  await store.close()
  expect(await inspectSQLite(path, signal)).toMatchObject({ status: 'ok' })
  expect(before).toContain('sessions.db-wal')
  expect(readdirSync(folder)).toEqual(['sessions.db'])
})

it('a file that is not there yet may be made, and is not', async () => {
  expect(await inspectSQLite(join(folder, 'new', 'sessions.db'), signal)).toMatchObject({ status: 'ok' })
  expect(readdirSync(folder)).toEqual([])
})

it('a newer schema, and a database of something else, are named', async () => {
  database('CREATE TABLE other (a); PRAGMA user_version = 99')
  expect(await inspectSQLite(path, signal)).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining('newer version'),
  })
  database('PRAGMA user_version = 0')
  expect(await inspectSQLite(path, signal)).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining('something else'),
  })
})

it('nothing is said of a file that this Node cannot read, and it stays where it is', async () => {
  database('CREATE TABLE other (a)')
  const { execPath } = process
  process.execPath = join(folder, 'no-node')
  try {
    const finding = await inspectSQLite(path, signal)
    expect(finding).toEqual({ status: 'skipped', detail: expect.stringContaining('this Node has no SQLite') })
  } finally {
    process.execPath = execPath
  }
})
