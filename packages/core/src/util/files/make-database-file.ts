import { systemCode } from '../../data/system-error.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Creates the file of a SQLite database and its folder, readable by their owner only, if they are missing. SQLite gives its
 * -wal and -shm files the mode of the database itself.
 *
 * @throws Error of Node, with its code
 */
export function makeDatabaseFile(path: string): void {
  const { closeSync, openSync, statSync } = process.getBuiltinModule('node:fs')
  const { dirname } = process.getBuiltinModule('node:path')
  makeFolder(dirname(path), 0o700)
  try {
    // Only a new file: closing a second descriptor of an open database would release its locks.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    // A link to a missing file: SQLite would create that file readable by everyone.
    if (!statSync(path, { throwIfNoEntry: false })) closeSync(openSync(path, 'a', 0o600))
  }
}
