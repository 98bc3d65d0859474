import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { AgentKitError, isAgentKitError } from '@agentkit/core'
import { isSQLiteLocked, makeDatabaseFile, nodeSQLite } from '@agentkit/core/internal'
import { isRefused, toStorageError } from './sqlite-errors.ts'
import { isReady, prepareSchema } from './sqlite-schema.ts'

/**
 * SQLite blocks the whole process while it waits for a lock, so it waits only this long. The rest of the wait, of
 * `longestWait` in all, is asynchronous. In milliseconds.
 */
const blockingWait = 10
const longestWait = 5_000

/** Opens a connection to the database of a generation, and creates it if it is missing. */
export async function openDatabase(path: string): Promise<DatabaseSync> {
  return untilUnlocked(path, () => {
    makeDatabaseFile(path)
    // Imported late, so that programs without an index never load SQLite.
    const { DatabaseSync } = nodeSQLite()
    const database = new DatabaseSync(path, { timeout: blockingWait })
    try {
      // Deleted text is overwritten at once: a deleted file leaves no text in free space.
      database.exec('PRAGMA secure_delete = ON')
      // Before the journal mode, because it refuses foreign files; the journal mode would persist in them.
      prepareSchema(database, path)
      database.exec('PRAGMA journal_mode = WAL')
      database.exec('PRAGMA synchronous = NORMAL')
      // Moving a long log into the database takes long: `checkpoint` does it in a separate thread.
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
 * The same for readers only: also for an index without write permission, or on a read-only disk.
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

/** @returns undefined when it cannot be read either, or is not a complete index */
function openReadOnly(path: string): DatabaseSync | undefined {
  const { DatabaseSync } = nodeSQLite()
  for (const way of ['mode=ro', 'mode=ro&immutable=1']) {
    let database: DatabaseSync | undefined
    try {
      // To read a log, SQLite must write a file beside it. Without a log there is no writer, and read-only access is
      // enough.
      if (way !== 'mode=ro' && statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) continue
      const url = new URL(`${pathToFileURL(path).href}?${way}`)
      database = new DatabaseSync(url, { readOnly: true, timeout: blockingWait })
      if (isReady(database)) return database
    } catch {
      // Try the next way, if there is one.
    }
    database?.close()
  }
  return undefined
}

/**
 * Runs `work`, and retries while another connection has the database locked.
 *
 * @throws AgentKitError `storage` for errors of SQLite, with what to do about the file
 */
export async function untilUnlocked<Result>(path: string, work: () => Result): Promise<Result> {
  const deadline = performance.now() + longestWait
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isSQLiteLocked(error) || performance.now() >= deadline) throw toStorageError(error, path)
    }
    await sleep(5 + Math.random() * 20)
  }
}

/** Runs `work` in a transaction with the write lock. An error rolls it back. */
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

export function closedError(): AgentKitError {
  return new AgentKitError('storage', 'The index is closed. Open it again.')
}
