import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { makeDatabaseFile, nodeSQLite } from '@agentkit/core/internal'
import { slices } from '../../util/in-parallel.ts'
import { timeSlices } from '../../util/time-slices.ts'
import { yieldToOthers } from '../../util/yield-to-others.ts'
import { untilUnlocked } from '../sqlite/sqlite-database.ts'

/** A vector that the cloud has, or may have. */
export type LedgerRow = { id: string; file: string; textHash: string }

/**
 * A write-ahead record of the vectors that are sent to the cloud. A vector is `settled` when the cloud has it for a
 * chunk of the index. All others are pending: not stored yet, or not removed yet.
 */
export interface CloudLedger {
  /** Marks vectors as pending, known ones too. */
  question(rows: readonly LedgerRow[]): Promise<void>
  settle(ids: readonly string[]): Promise<void>
  forget(ids: readonly string[]): Promise<void>
  /** The given vectors that the cloud may have. */
  known(ids: readonly string[]): Promise<string[]>
  /** All pending vectors, up to a number. */
  inQuestion(limit: number): string[]
  /** All vectors of a file. */
  ofFile(file: string): (LedgerRow & { isSettled: boolean })[]
  /** One vector for each of the texts that has one. */
  byText(textHashes: readonly string[]): Promise<Map<string, string>>
  isEmpty(): boolean
  counts(): { settled: number; inQuestion: number }
  /** Settled vectors in order, after an id. */
  page(after: string, limit: number): string[]
}

/** The ledgers of all generations, in one file. */
export interface CloudLedgers {
  of(generation: string): CloudLedger
  /** Whether anything was sent to the cloud for a generation, or for any. */
  has(generation?: string): boolean
  /** Schedules its vectors for removal, until `forgetAll`. */
  markDropped(generation: string): void
  dropped(): string[]
  /** Deletes the entries of a generation, or of all. */
  forgetAll(generation?: string): void
  close(): void
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS vectors (
    generation TEXT NOT NULL, id TEXT NOT NULL, file TEXT NOT NULL, text_hash TEXT NOT NULL, settled INTEGER NOT NULL,
    PRIMARY KEY (generation, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS vectors_by_file ON vectors (generation, file);
  CREATE INDEX IF NOT EXISTS vectors_by_text ON vectors (generation, text_hash);
  CREATE INDEX IF NOT EXISTS vectors_in_question ON vectors (generation, id) WHERE settled = 0;
  CREATE TABLE IF NOT EXISTS dropped (generation TEXT PRIMARY KEY) WITHOUT ROWID;
`

/** Opens the ledgers at a path, and creates the file if it is missing. One process writes at a time. */
export async function openLedgers(path: string): Promise<CloudLedgers> {
  const database = await untilUnlocked(path, () => openDatabase(path))
  const run = (sql: string, ...values: string[]) => database.prepare(sql).run(...values)
  const isThere = (sql: string, ...values: string[]): boolean => database.prepare(sql).get(...values) !== undefined
  let isOpen = true
  return {
    of: (generation) => openLedger(database, generation),
    has: (generation) =>
      generation === undefined
        ? isThere('SELECT 1 FROM vectors LIMIT 1')
        : isThere('SELECT 1 FROM vectors WHERE generation = ? LIMIT 1', generation),
    markDropped: (generation) => void run('INSERT OR IGNORE INTO dropped VALUES (?)', generation),
    dropped: () =>
      database
        .prepare('SELECT generation FROM dropped')
        .all()
        .map((row) => String(row.generation)),
    forgetAll(generation) {
      if (generation === undefined) return database.exec('DELETE FROM vectors; DELETE FROM dropped')
      run('DELETE FROM vectors WHERE generation = ?', generation)
      run('DELETE FROM dropped WHERE generation = ?', generation)
    },
    close() {
      if (isOpen) database.close()
      isOpen = false
    },
  }
}

function openLedger(database: DatabaseSync, generation: string): CloudLedger {
  const add = database.prepare('INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, 0)')
  const settle = database.prepare('UPDATE vectors SET settled = 1 WHERE generation = ? AND id = ?')
  const forget = database.prepare('DELETE FROM vectors WHERE generation = ? AND id = ?')
  const one = database.prepare('SELECT id FROM vectors WHERE generation = ? AND id = ?')
  const first = database.prepare('SELECT id FROM vectors WHERE generation = ? LIMIT 1')
  const byFile = database.prepare('SELECT id, text_hash, settled FROM vectors WHERE generation = ? AND file = ?')
  const byText = database.prepare('SELECT id FROM vectors WHERE generation = ? AND text_hash = ? LIMIT 1')
  const idsOf = (statement: StatementSync, ...values: (string | number)[]): string[] =>
    statement.all(generation, ...values).map(({ id }) => String(id))

  /** A partial write is harmless: each row is valid on its own. */
  async function write<Row>(rows: readonly Row[], change: (row: Row) => void): Promise<void> {
    for (const some of slices(rows, 500)) {
      database.exec('BEGIN IMMEDIATE')
      try {
        for (const row of some) change(row)
        database.exec('COMMIT')
      } finally {
        if (database.isTransaction) database.exec('ROLLBACK')
      }
      await yieldToOthers()
    }
  }

  /** The entries that exist. */
  async function look(keys: readonly string[], find: (key: string) => unknown): Promise<string[]> {
    const found: string[] = []
    const slice = timeSlices()
    for (const key of keys) {
      if (find(key) !== undefined) found.push(key)
      if (slice.isOver) await slice.next()
    }
    return found
  }

  return {
    question: (rows) => write(rows, ({ id, file, textHash }) => add.run(generation, id, file, textHash)),
    settle: (ids) => write(ids, (id) => settle.run(generation, id)),
    forget: (ids) => write(ids, (id) => forget.run(generation, id)),
    known: (ids) => look(ids, (id) => one.get(generation, id)),
    inQuestion: (limit) =>
      idsOf(database.prepare('SELECT id FROM vectors WHERE generation = ? AND settled = 0 LIMIT ?'), limit),
    ofFile: (file) =>
      byFile.all(generation, file).map(({ id, text_hash, settled }) => {
        return { id: String(id), file, textHash: String(text_hash), isSettled: settled === 1 }
      }),
    async byText(textHashes) {
      const found = new Map<string, string>()
      await look(textHashes, (textHash) => {
        const row = byText.get(generation, textHash)
        if (row) found.set(textHash, String(row.id))
        return row
      })
      return found
    },
    isEmpty: () => first.get(generation) === undefined,
    counts() {
      const sum = 'SELECT count(*) AS total, coalesce(sum(settled), 0) AS settled FROM vectors WHERE generation = ?'
      const { total, settled } = database.prepare(sum).get(generation) ?? {}
      return { settled: Number(settled), inQuestion: Number(total) - Number(settled) }
    },
    page: (after, limit) =>
      idsOf(
        database.prepare('SELECT id FROM vectors WHERE generation = ? AND settled = 1 AND id > ? ORDER BY id LIMIT ?'),
        after,
        limit,
      ),
  }
}

function openDatabase(path: string): DatabaseSync {
  makeDatabaseFile(path)
  const { DatabaseSync } = nodeSQLite()
  const database = new DatabaseSync(path, { timeout: 1000 })
  try {
    database.exec(schema)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
