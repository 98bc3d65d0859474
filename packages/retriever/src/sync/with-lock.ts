import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { AgentKitError } from '@agentkit/core'
import {
  isSQLiteLocked,
  makeFolder,
  messageOf,
  nodeSQLite,
  sleep,
  sqliteCode,
  systemCode,
} from '@agentkit/core/internal'

/**
 * Runs work that needs exclusive access to a folder, across processes. The others wait.
 *
 * The lock is a transaction of an SQLite database: the operating system releases it when a process ends, even by a crash.
 */
export async function withLock<Result>(
  folder: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const database = openLock(folder)
  try {
    while (!isTaken(database, folder)) await sleep(10 + Math.random() * 30, signal)
    return await work()
  } finally {
    // Releases the lock.
    database.close()
  }
}

function openLock(folder: string): DatabaseSync {
  try {
    makeFolder(folder, 0o700)
    const { DatabaseSync } = nodeSQLite()
    // Waiting in SQLite would block the whole thread.
    return new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 })
  } catch (error) {
    throw storageError(folder, error)
  }
}

function isTaken(database: DatabaseSync, folder: string): boolean {
  try {
    database.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isSQLiteLocked(error)) return false
    throw storageError(folder, error)
  }
}

function storageError(folder: string, error: unknown): AgentKitError {
  const code = sqliteCode(error)
  if (code === 11 || code === 26) {
    const file = join(folder, 'lock.db')
    return new AgentKitError('storage', `The lock ${file} is damaged. Delete the file; the next sync makes it again.`, {
      cause: error,
    })
  }
  const isFull = code === 13 || systemCode(error) === 'ENOSPC'
  const fix = isFull ? 'Free space on its disk.' : 'Name an `indexPath` that this user may write.'
  const message = `The index in "${folder}" cannot be written: ${messageOf(error)}. ${fix}`
  return new AgentKitError('storage', message, { cause: error })
}
