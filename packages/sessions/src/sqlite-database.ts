import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentKitError } from '@agentkit/core'
import { acquireFile, fileAt, releaseFile, type SharedFile } from './shared-file.ts'
import { isLocked, toStorageError } from './sqlite-errors.ts'
import type { Statements } from './statements.ts'

export type SQLiteDatabaseOptions = {
  durability: 'normal' | 'full'
  /** How long a call waits for a lock, in milliseconds. */
  lockTimeoutMs: number
}

/** What one store has of a database file. It is opened at the first use, and shared with the other stores of it. */
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
  /** Waits for the calls that were made before, then says `farewell` and releases the file. A later call opens it again. */
  release(farewell: (statements: Statements) => void): Promise<void>
  /** Does the same for good: calls made after it are refused. */
  close(farewell: (statements: Statements) => void): Promise<void>
}

/** The last call in the line of each file and timeout: one at a time tries for the lock, of all stores together. */
const lines = new Map<unknown, Promise<void>>()

export function openSQLiteDatabase(path: string, options: SQLiteDatabaseOptions): SQLiteDatabase {
  let opened: SharedFile | undefined
  let closed = false
  const line = path === ':memory:' ? Symbol(path) : `${options.lockTimeoutMs} ${resolve(path)}`
  let lastCall: Promise<void> = Promise.resolve()

  const open = (): SharedFile => {
    opened ??= acquireFile(path, options.durability)
    return opened
  }

  /** A file that was deleted or moved away takes writes to its grave: what is at the path now is opened instead. */
  const openWhatIsThere = (): SharedFile => {
    if (opened && opened.file !== fileAt(path)) letGo()
    return open()
  }

  const letGo = (): void => {
    const released = opened
    opened = undefined
    if (released) releaseFile(released)
  }

  const release = async (farewell: (statements: Statements) => void): Promise<void> => {
    await lastCall
    tryNow(farewell)
    letGo()
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
    const result = (lines.get(line) ?? Promise.resolve()).then(() => untilUnlocked(work, deadline))
    const done: Promise<void> = result.then(leave, leave)
    function leave(): void {
      if (lines.get(line) === done) lines.delete(line)
    }
    lines.set(line, done)
    lastCall = done
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
    release,

    close(farewell) {
      closed = true
      return release(farewell)
    },
  }
}
