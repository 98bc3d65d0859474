import { existsSync, rmSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { makeDatabaseFile, messageOf, nodeSQLite } from '@agentkit/core/internal'

/** Stores vectors that are paid for and not in the index yet, so that the sync after a killed one can use them. */
export interface Journal {
  /** The stored vectors of these texts. */
  vectorsOf(textHashes: Iterable<string>): Map<string, Float32Array>
  add(vectors: ReadonlyMap<string, Float32Array>): void
  /** Deletes vectors that are in the index now. */
  forget(textHashes: Iterable<string>): void
  /** Closes the journal, and deletes it if `isDone`. */
  close(isDone: boolean): void
}

/**
 * Opens the journal at a path, for one embedder and one length of vectors. The file is created with the first write.
 * Only one process at a time may have it open: the caller holds the lock.
 */
export function openJournal(path: string): Journal {
  let opened: OpenJournal | undefined
  const open = (): OpenJournal => {
    opened ??= orRecreated(() => prepare(path))
    return opened
  }
  const close = (): void => {
    opened?.database.close()
    opened = undefined
  }
  /** A damaged journal only costs money. */
  const orRecreated = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      if (!/malformed|not a database|no such|has no column/.test(messageOf(error))) throw error
      close()
      removeJournal(path)
      return work()
    }
  }
  return {
    vectorsOf(textHashes) {
      const found = new Map<string, Float32Array>()
      if (!opened && !existsSync(path)) return found
      for (const textHash of textHashes) {
        const vector = orRecreated(() => open().find.get(textHash))?.vector
        // A copy: a Float32Array needs an aligned start.
        if (vector instanceof Uint8Array) found.set(textHash, new Float32Array(vector.slice().buffer))
      }
      return found
    },
    add(vectors) {
      orRecreated(() => {
        const { database, add } = open()
        transaction(database, () => {
          for (const [textHash, vector] of vectors) {
            add.run(textHash, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
          }
        })
      })
    },
    forget(textHashes) {
      if (!opened) return
      orRecreated(() => {
        const { database, forget } = open()
        transaction(database, () => {
          for (const textHash of textHashes) forget.run(textHash)
        })
      })
    },
    close(isDone) {
      close()
      if (isDone) removeJournal(path)
    },
  }
}

/** Deletes a journal; a missing one is ignored. */
export function removeJournal(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

type OpenJournal = { database: DatabaseSync; find: StatementSync; add: StatementSync; forget: StatementSync }

function prepare(path: string): OpenJournal {
  const { DatabaseSync } = nodeSQLite()
  makeDatabaseFile(path)
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
