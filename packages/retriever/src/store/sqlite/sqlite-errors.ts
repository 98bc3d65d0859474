import { AgentKitError, isAgentKitError } from '@agentkit/core'
import { isSQLiteLocked, messageOf, sqliteCode, systemCode } from '@agentkit/core/internal'

const held = (path: string): string => `The index ${path} is being written by another process. Try again.`

/** The fix for SQLite's primary codes: the first two are a lock of another connection. */
const advice: Readonly<Record<number, (path: string) => string>> = {
  5: held,
  6: held,
  8: (path) => `The index ${path} cannot be written. Allow this user to write the file and its folder.`,
  10: (path) => `Reading or writing the index ${path} failed. Check the disk and the space left on it.`,
  11: damagedFile,
  13: (path) => `There is no room left for the index ${path}. Free space on its disk.`,
  14: (path) => `The index ${path} cannot be opened. Check that its path is a file that this user may write.`,
  26: foreignFile,
}

/** The same for errors of the file system before SQLite is called. */
const fileAdvice: Readonly<Record<string, (path: string) => string>> = {
  ENOSPC: (path) => `There is no room for the index ${path}. Free space on its disk.`,
  EACCES: (path) => `The index ${path} cannot be made. Allow this user to write its folder.`,
  EPERM: (path) => `The index ${path} cannot be made. Allow this user to write its folder.`,
  EROFS: (path) => `The index ${path} cannot be made: its disk is read-only. Choose another indexPath.`,
  ENOTDIR: (path) => `The index ${path} cannot be made: a part of its path is a file. Choose another indexPath.`,
  EEXIST: (path) => `The index ${path} cannot be made: a part of its path is a file. Choose another indexPath.`,
  EISDIR: (path) => `The index ${path} cannot be made: there is a folder of that name. Choose another indexPath.`,
}

export function damagedFile(path: string): string {
  return `The index ${path} is damaged. Delete the file, with ${path}-wal and ${path}-shm; the next sync creates it again.`
}

export function foreignFile(path: string): string {
  return `${path} is not an index. Delete the file, or move it away; the next sync creates the index again.`
}

/** Whether something is not writable: an open log and its index are files too. */
export function isRefused(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 8 || code === 14 || ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '')
}

/** Wraps a failure of the database as `storage`, with the fix. AgentKitErrors are returned unchanged. */
export function toStorageError(error: unknown, path: string): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('storage', describe(error, path), { cause: error, retryable: isSQLiteLocked(error) })
}

function describe(error: unknown, path: string): string {
  const words = advice[sqliteCode(error) ?? -1] ?? fileAdvice[systemCode(error) ?? '']
  return words?.(path) ?? `The index ${path} failed: ${messageOf(error)}`
}
