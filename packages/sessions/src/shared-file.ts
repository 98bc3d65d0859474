import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { migrate } from './migrations.ts'
import { prepareStatements, type Statements } from './statements.ts'

/** An open database file. All stores of this thread that keep their sessions in it share one. */
export type SharedFile = {
  database: DatabaseSync
  statements: Statements
  /** Which file it is, whatever stands at its path by now. */
  readonly file: string
  /** The stores that use it. It is closed when the last one has released it. */
  owners: number
}

/**
 * SQLite blocks the whole process while it waits for a lock, so it may wait this long only, in milliseconds. The rest
 * of the wait is asynchronous.
 */
const busyTimeoutMs = 20

/** By file and durability: links and other spellings of a path lead to the same file. */
const openFiles = new Map<string, SharedFile>()

/** The file at a path, opened if this thread has it not open yet, and made if it is not there. */
export function acquireFile(path: string, durability: 'normal' | 'full'): SharedFile {
  if (path === ':memory:') return { ...openFile(path, durability), file: '', owners: 1 }
  makeFile(path)
  const file = fileAt(path)
  const key = `${file} ${durability}`
  const shared = openFiles.get(key) ?? { ...openFile(path, durability), file, owners: 0 }
  openFiles.set(key, shared)
  shared.owners++
  return shared
}

/** To be called once by each who has acquired it. */
export function releaseFile(shared: SharedFile): void {
  shared.owners--
  if (shared.owners > 0) return
  for (const [key, open] of openFiles) if (open === shared) openFiles.delete(key)
  shared.database.close()
}

/** Which file stands at a path; empty when none does. */
export function fileAt(path: string): string {
  const found = path === ':memory:' ? undefined : statSync(path, { throwIfNoEntry: false, bigint: true })
  return found ? `${found.dev}:${found.ino}` : ''
}

/** Opens a file as every connection to it must be opened. */
export function openFile(path: string, durability: 'normal' | 'full'): Pick<SharedFile, 'database' | 'statements'> {
  // Synchronous and only now, so that who never opens a session never loads SQLite.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    // First, as it refuses files that are not ours; the journal mode would stay with them.
    migrate(database, basename(path))
    database.exec('PRAGMA journal_mode = WAL')
    database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    database.exec('PRAGMA foreign_keys = ON')
    return { database, statements: prepareStatements(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite gives its -wal and -shm files the mode of the database itself. */
function makeFile(path: string): void {
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
