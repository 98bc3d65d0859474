import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Statements } from '../statements/statements.ts'
import { openSQLiteDatabase, type SQLiteDatabase } from './sqlite-database.ts'

let folder: string
let database: SQLiteDatabase
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-sqlite-'))
  database = openSQLiteDatabase(join(folder, 'sessions.db'), { durability: 'normal', lockTimeoutMs: 1000 })
})
afterEach(async () => {
  await database.close(() => {})
  rmSync(folder, { recursive: true, force: true })
})

const beat =
  (id: string) =>
  (statements: Statements): string => {
    statements.beat.run(id, 'host', 1, 0, Date.now())
    return id
  }
/** The number of calls that are committed at once: later calls are committed together. */
const first = (): Promise<string>[] => Array.from({ length: 4 }, () => database.transaction(beat('first')))

/** Which of these are stored: removes them. */
const stored = (ids: readonly string[]): Promise<string[]> =>
  database.transaction((statements) => ids.filter((id) => statements.removeHolder.run(id).changes === 1))
const walBytes = (): number => statSync(join(folder, 'sessions.db-wal')).size

describe('transactions of one turn of the event loop', () => {
  it('are committed together: they write a page once', async () => {
    await database.transaction(beat('a'))
    const one = walBytes()
    for (const id of ['b', 'c', 'd']) await database.transaction(beat(id))
    const alone = walBytes() - one
    await Promise.all(Array.from({ length: 60 }, (_, index) => database.transaction(beat(`id ${index}`))))
    expect(walBytes() - one - alone).toBeLessThan(alone * 4)
  })

  it('are undone alone when one of them throws', async () => {
    const fail = (statements: Statements): never => {
      beat('b')(statements)
      throw new Error('no')
    }
    const before = first()
    const [a, b, c, d] = await Promise.allSettled([
      database.transaction(beat('a')),
      database.transaction(fail),
      database.transaction(beat('c')),
      database.transaction(beat('d')),
    ])
    await Promise.all(before)
    expect([a.status, b.status, c.status, d.status]).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(await stored(['a', 'b', 'c', 'd'])).toEqual(['a', 'c', 'd'])
  })

  it('report their commit in their order, before anything else happens', async () => {
    const before = first()
    const seen: string[] = []
    const calls = ['a', 'b', 'c'].map((id) => database.transaction(beat(id), (result) => seen.push(result)))
    await Promise.all(calls.map((call) => call.then((id) => seen.push(`then ${id}`))))
    await Promise.all(before)
    expect(seen.filter((entry) => !entry.startsWith('then'))).toEqual(['a', 'b', 'c'])
    expect(seen.indexOf('c')).toBeLessThan(seen.indexOf('then b'))
  })

  it('are committed before the database is closed', async () => {
    const calls = ['a', 'b', 'c'].map((id) => database.transaction(beat(id)))
    await database.close(() => {})
    expect(await Promise.all(calls)).toEqual(['a', 'b', 'c'])
  })
})

it('writes the journal into the database once no call has come for a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const size = (): number => statSync(join(folder, 'sessions.db')).size
  try {
    await database.transaction(beat('first'))
    const before = size()
    for (let index = 0; index < 150; index++) await database.transaction(beat(`${index} ${'x'.repeat(1000)}`))
    vi.advanceTimersByTime(1_000)
    expect(size()).toBe(before)
    for (let index = 150; index < 220; index++) await database.transaction(beat(`${index} ${'x'.repeat(1000)}`))
    expect(size()).toBe(before)
    vi.advanceTimersByTime(1_000)
    expect(size()).toBeGreaterThan(before + 220 * 1000)
  } finally {
    vi.useRealTimers()
  }
})

it('empties a log that has grown while others used it', async () => {
  const path = join(folder, 'sessions.db')
  const own = openSQLiteDatabase(path, { durability: 'normal', lockTimeoutMs: 1_000, maxLogBytes: 500_000 })
  const commit = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) await own.transaction(beat(`id ${index}`))
  }
  await commit(1)
  const reader = new DatabaseSync(path)
  reader.exec('BEGIN; SELECT * FROM holders')
  await commit(500)
  expect(walBytes()).toBeGreaterThan(500_000)
  reader.close()
  await commit(500)
  await expect.poll(walBytes).toBeLessThan(100_000)
  await own.close(() => {})
})
