import { messageOf } from './errors.ts'

/** The code of an error of Node, of a driver or of an SDK: `ENOENT`, `ERR_MODULE_NOT_FOUND`, `23505`. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** SQLite's primary result code, which is the low byte of what `node:sqlite` has in `errcode`. */
export function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}

/** Whether another connection holds the lock of an SQLite database, so that a retry may help. */
export function isSQLiteLocked(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 5 || code === 6
}

/** Whether an import or a `require` failed because this package is missing, and not one that it depends on. */
export function isPackageMissing(error: unknown, name: string): boolean {
  const code = systemCode(error)
  // The second code is that of `require`, and of a bundle.
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  return isMissing && messageOf(error).includes(`'${name}'`)
}

/** The depth of the chain of causes that is read. */
const maxCauses = 8

/** File systems report a full disk, a full quota, and a file that exceeds the limit of its process. */
const fileCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** SQLite's codes: the disk is full, and a write that failed for another reason, such as a limit of the process. */
const sqliteCodes: readonly unknown[] = [13, 778]
/** The SQLSTATE of Postgres. */
const postgresCode = '53100'

/** Whether a failure, or one of its causes, is that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < maxCauses && typeof current === 'object' && current !== null; depth++) {
    if ('code' in current && (fileCodes.includes(current.code) || current.code === postgresCode)) return true
    if ('errcode' in current && sqliteCodes.includes(current.errcode)) return true
    current = 'cause' in current ? current.cause : undefined
  }
  return false
}
