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
