import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentKitError } from '@agentkit/core'
import { migrate } from './migrations.ts'
import { isLocked, toStorageError } from './sqlite-errors.ts'
import { prepareStatements, type Statements } from './statements.ts'

export type SQLiteDatabaseOptions = {
  durability: 'normal' | 'full'
  /** How long a call waits for a lock, in milliseconds. */
  lockTimeoutMs: number
}

/** One database file, opened at its first use. */
export interface SQLiteDatabase {
  /** Runs statements that only read. They wait for no writer. */
  read<T>(work: (statements: Statements) => T): Promise<T>
  /**
   * Runs `work` in a transaction that holds the write lock; it may run again when the database was locked.
   * `committed` follows the commit before anything else can happen in this thread.
   */
  transaction<T>(work: (statements: Statements) => T, committed?: (result: T) => void): Promise<T>
  /** Runs `work` once, at once, and only if the database is open. A failure is nobody's. */
  tryNow(work: (statements: Statements) => void): void
  /** Waits for the calls that were made before, then says `farewell`. Calls made after it are refused. */
  close(farewell: (statements: Statements) => void): Promise<void>
}

type OpenFile = { database: DatabaseSync; statements: Statements; file: string }

/**
 * SQLite blocks the whole process while it waits for a lock, so it may wait this long only, in milliseconds. The rest
 * of the wait is asynchronous.
 */
const busyTimeoutMs = 20

export function openSQLiteDatabase(path: string, options: SQLiteDatabaseOptions): SQLiteDatabase {
  let opened: OpenFile | undefined
  let closed = false
  let lastInLine: Promise<unknown> = Promise.resolve()

  const open = (): OpenFile => {
    opened ??= openFile(path, options.durability)
    return opened
  }

  /** A file that was deleted or moved away takes writes to its grave: what is at the path now is opened instead. */
  const openWhatIsThere = (): OpenFile => {
    if (opened && opened.file !== fileAt(path)) {
      opened.database.close()
      opened = undefined
    }
    return open()
  }

  const untilUnlocked = async <T>(work: () => T, deadline: number): Promise<T> => {
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!isLocked(error) || performance.now() >= deadline) throw toStorageError(error, path)
      }
      await sleep(5 + Math.random() * 25)
    }
  }

  /** One call at a time tries for the lock, so that many waiting ones do not block the process for longer than one. */
  const inLine = async <T>(work: () => T): Promise<T> => {
    refuseWhenClosed()
    const deadline = performance.now() + options.lockTimeoutMs
    const result = lastInLine.then(() => untilUnlocked(work, deadline))
    lastInLine = result.catch(() => {})
    return result
  }

  const refuseWhenClosed = (): void => {
    if (!closed) return
    throw new AgentKitError('storage', 'The session store is closed. Make a new one with sqliteSessions(path).')
  }

  const tryNow = (work: (statements: Statements) => void): void => {
    if (!opened) return
    try {
      work(opened.statements)
    } catch {
      // Nobody's, as promised: a heartbeat or a farewell that others can do without.
    }
  }

  return {
    async read(work) {
      const readNow = (): ReturnType<typeof work> => work(open().statements)
      if (!opened) return inLine(readNow)
      const readWhileOpen = (): ReturnType<typeof work> => {
        refuseWhenClosed()
        return readNow()
      }
      return untilUnlocked(readWhileOpen, performance.now() + options.lockTimeoutMs)
    },

    transaction: (work, committed) =>
      inLine(() => {
        const { database, statements } = openWhatIsThere()
        database.exec('BEGIN IMMEDIATE')
        try {
          const result = work(statements)
          database.exec('COMMIT')
          committed?.(result)
          return result
        } finally {
          if (database.isTransaction) database.exec('ROLLBACK')
        }
      }),

    tryNow,

    async close(farewell) {
      closed = true
      await lastInLine
      tryNow(farewell)
      // Closing finalizes the statements; both are let go of together, as a statement must not outlive its database.
      opened?.database.close()
      opened = undefined
    },
  }
}

/** Opens a file as every connection to it must be opened. */
export function openFile(path: string, durability: 'normal' | 'full'): OpenFile {
  if (path !== ':memory:') makeFile(path)
  // Synchronous and only now, so that who never opens a session never loads SQLite.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    // First, as it refuses files that are not ours; the journal mode would stay with them.
    migrate(database, basename(path))
    database.exec('PRAGMA journal_mode = WAL')
    database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    database.exec('PRAGMA foreign_keys = ON')
    return { database, statements: prepareStatements(database), file: fileAt(path) }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Which file stands at a path; empty when none does. */
function fileAt(path: string): string {
  const found = path === ':memory:' ? undefined : statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ''
}

/** SQLite gives its -wal and -shm files the mode of the database itself. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    // Only ever a new file: to close a second descriptor of an open database would drop its locks.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}
