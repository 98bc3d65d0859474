import { basename } from 'node:path'
import { AgentKitError, isAgentKitError } from '@agentkit/core'

/** SQLite's result codes for a lock of another connection. The low byte of an extended code is its primary code. */
const busy = 5
const locked = 6

/** The advice for other result codes, by primary code. */
const advice: Readonly<Record<number, (file: string) => string>> = {
  [busy]: (file) => `The session database ${file} is held by another process. Try again, or stop what holds it.`,
  [locked]: (file) => `The session database ${file} is held by another process. Try again, or stop what holds it.`,
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
  return Object.assign(new Error('The database is locked.'), { errcode: busy })
}

/** Whether another connection holds the database, so that a retry may help. */
export function isLocked(error: unknown): boolean {
  const code = primaryCode(error)
  return code === busy || code === locked
}

/** Converts a failure of the database to `storage`, with the fix. An AgentKitError is returned unchanged. */
export function toStorageError(error: unknown, path: string): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('storage', describe(error, basename(path)), {
    cause: error,
    retryable: isLocked(error),
  })
}

function describe(error: unknown, file: string): string {
  const { message, code } = error as { message?: string; code?: string }
  const words = advice[primaryCode(error) ?? -1] ?? fileAdvice[code ?? '']
  return words?.(file) ?? `The session database ${file} failed: ${message ?? String(error)}`
}

/** node:sqlite has SQLite's code in `errcode`. */
function primaryCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}
