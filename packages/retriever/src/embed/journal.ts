import { existsSync, rmSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { makeFile } from '../store/sqlite/sqlite-database.ts'
import { messageOf } from '../util/message-of.ts'

/** Vectors that are paid for and not yet in the index: what a killed sync leaves for the next one. */
export interface Journal {
  /** Those of the texts that it has. */
  vectorsOf(textHashes: Iterable<string>): Map<string, Float32Array>
  add(vectors: ReadonlyMap<string, Float32Array>): void
  /** They are in the index now. */
  forget(textHashes: Iterable<string>): void
  /** Closes it, and forgets all where `isDone`. */
  close(isDone: boolean): void
}

/**
 * The journal at a path, of one embedder with one length of vectors. Made when something is to be written.
 * Only one at a time may have it open: under the lock.
 */
export function openJournal(path: string): Journal {
  let opened: OpenJournal | undefined
  const open = (): OpenJournal => {
    opened ??= openFile(path)
    return opened
  }
  return {
    vectorsOf(textHashes) {
      const found = new Map<string, Float32Array>()
      if (!opened && !existsSync(path)) return found
      for (const textHash of textHashes) {
        const vector = open().find.get(textHash)?.vector
        // A copy: a Float32Array cannot begin at any byte.
        if (vector instanceof Uint8Array) found.set(textHash, new Float32Array(vector.slice().buffer))
      }
      return found
    },
    add(vectors) {
      const { database, add } = open()
      transaction(database, () => {
        for (const [textHash, vector] of vectors) {
          add.run(textHash, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
        }
      })
    },
    forget(textHashes) {
      if (!opened) return
      const { database, forget } = opened
      transaction(database, () => {
        for (const textHash of textHashes) forget.run(textHash)
      })
    },
    close(isDone) {
      opened?.database.close()
      opened = undefined
      if (isDone) removeJournal(path)
    },
  }
}

/** Forgets a journal, one that is not there too. */
export function removeJournal(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

type OpenJournal = { database: DatabaseSync; find: StatementSync; add: StatementSync; forget: StatementSync }

function openFile(path: string): OpenJournal {
  try {
    return prepare(path)
  } catch (error) {
    // What is damaged is only money lost.
    if (!/malformed|not a database|no such|has no column/.test(messageOf(error))) throw error
    removeJournal(path)
    return prepare(path)
  }
}

function prepare(path: string): OpenJournal {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  makeFile(path)
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = NORMAL')
    database.exec('CREATE TABLE IF NOT EXISTS vectors (text_hash TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID')
    return {
      database,
      find: database.prepare('SELECT vector FROM vectors WHERE text_hash = ?'),
      add: database.prepare('INSERT OR REPLACE INTO vectors (text_hash, vector) VALUES (?, ?)'),
      forget: database.prepare('DELETE FROM vectors WHERE text_hash = ?'),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

function transaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN')
  try {
    work()
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}
