import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { AgentKitError, isAgentKitError } from '@agentkit/core'
import { isLocked, isRefused, toStorageError } from './sqlite-errors.ts'
import { isReady, prepareSchema } from './sqlite-schema.ts'

/**
 * SQLite blocks the whole process while it waits for a lock, so it may wait this long only. The rest of the wait, of
 * `longestWait` in all, is asynchronous. In milliseconds.
 */
const blockingWait = 10
const longestWait = 5_000

/** Opens a connection to the database of a generation, which is made where it is not there. */
export async function openDatabase(path: string): Promise<DatabaseSync> {
  return untilUnlocked(path, () => {
    makeFile(path)
    // Only now, so that who never opens an index never loads SQLite.
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const database = new DatabaseSync(path, { timeout: blockingWait })
    try {
      // First, as it refuses files that are not ours; the journal mode would stay with them.
      prepareSchema(database, path)
      database.exec('PRAGMA journal_mode = WAL')
      database.exec('PRAGMA synchronous = NORMAL')
      // To move a long log into the database takes long: `checkpoint` does it in a thread of its own.
      database.exec('PRAGMA wal_autocheckpoint = 0')
      database.exec('PRAGMA cache_size = -2000')
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/**
 * The same for who only reads: also of an index that this user may not write, or on a disk that nobody may write.
 */
export async function openForReading(path: string): Promise<DatabaseSync> {
  try {
    return await openDatabase(path)
  } catch (error) {
    if (!isAgentKitError(error) || !isRefused(error.cause)) throw error
    const database = openReadOnly(path)
    if (!database) throw error
    return database
  }
}

/** @returns nothing where it cannot be read either, or is not a whole index */
function openReadOnly(path: string): DatabaseSync | undefined {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  for (const way of ['mode=ro', 'mode=ro&immutable=1']) {
    let database: DatabaseSync | undefined
    try {
      // To read beside a log SQLite has to write beside it too. Where there is none, nobody writes, and it need not.
      if (way !== 'mode=ro' && statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) continue
      const url = new URL(`${pathToFileURL(path).href}?${way}`)
      database = new DatabaseSync(url, { readOnly: true, timeout: blockingWait })
      if (isReady(database)) return database
    } catch {
      // The next way, if there is one.
    }
    database?.close()
  }
  return undefined
}

/**
 * Runs `work` again until nobody holds the database against it.
 *
 * @throws AgentKitError `storage` for what SQLite refuses, saying what to do about the file
 */
export async function untilUnlocked<Result>(path: string, work: () => Result): Promise<Result> {
  const deadline = performance.now() + longestWait
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isLocked(error) || performance.now() >= deadline) throw toStorageError(error, path)
    }
    await sleep(5 + Math.random() * 20)
  }
}

/** Runs `work` in a transaction that holds the write lock. What it throws undoes all of it. */
export async function transaction(database: DatabaseSync, path: string, work: () => Promise<void>): Promise<void> {
  await untilUnlocked(path, () => database.exec('BEGIN IMMEDIATE'))
  try {
    await work()
    database.exec('COMMIT')
  } catch (error) {
    throw toStorageError(error, path)
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

/**
 * Makes the file of a database and its folder for their owner alone, where they are not there. SQLite gives its -wal
 * and -shm files the mode of the database itself.
 */
export function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    // Only ever a new file: to close a second descriptor of an open database would drop its locks.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    // A link to a file that is not there yet: SQLite would make that file readable by everyone.
    if (!statSync(path, { throwIfNoEntry: false })) closeSync(openSync(path, 'a', 0o600))
  }
}

export function closedError(): AgentKitError {
  return new AgentKitError('storage', 'The index is closed. Open it again.')
}
