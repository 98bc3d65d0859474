import { basename } from 'node:path'
import { AgentKitError, isAgentKitError } from '@agentkit/core'
import { isSQLiteLocked, messageOf, sqliteCode, systemCode } from '@agentkit/core/internal'

/** The advice for SQLite's primary result codes: the first two are a lock of another connection. */
const advice: Readonly<Record<number, (file: string) => string>> = {
  5: (file) => `The session database ${file} is held by another process. Try again, or stop what holds it.`,
  6: (file) => `The session database ${file} is held by another process. Try again, or stop what holds it.`,
  8: (file) => `The session database ${file} cannot be written. Allow this user to write the file and its folder.`,
  10: (file) => `Reading or writing the session database ${file} failed. Check the disk and the space left on it.`,
  11: (file) => `The session database ${file} is damaged. Move it away to start afresh, or restore a backup.`,
  13: (file) => `The session database ${file} has no room left. Free space on its disk.`,
  14: (file) => `The session database ${file} cannot be opened. Check that its path is a file this user may write.`,
  26: (file) => `${file} is not a session database. Move it away to start afresh, or restore a backup.`,
}

/** The advice for errors of the file system before SQLite is called. */
const fileAdvice: Readonly<Record<string, (file: string) => string>> = {
  ENOSPC: (file) => `There is no room for the session database ${file}. Free space on its disk.`,
  EACCES: (file) => `The session database ${file} cannot be made. Allow this user to write its folder.`,
  EPERM: (file) => `The session database ${file} cannot be made. Allow this user to write its folder.`,
  EROFS: (file) => `The session database ${file} cannot be made: its disk is read-only. Choose another path.`,
  ENOTDIR: (file) => `The session database ${file} cannot be made: a part of its path is a file. Choose another path.`,
  EEXIST: (file) => `The session database ${file} cannot be made: a part of its path is a file. Choose another path.`,
}

/** The error of a lock that SQLite reports by a row. */
export function lockError(): Error {
  return Object.assign(new Error('The database is locked.'), { errcode: 5 })
}

/** Converts a failure of the database to `storage`, with the fix. An AgentKitError is returned unchanged. */
export function toStorageError(error: unknown, path: string): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('storage', describe(error, basename(path)), {
    cause: error,
    retryable: isSQLiteLocked(error),
  })
}

function describe(error: unknown, file: string): string {
  const words = advice[sqliteCode(error) ?? -1] ?? fileAdvice[systemCode(error) ?? '']
  return words?.(file) ?? `The session database ${file} failed: ${messageOf(error)}`
}
