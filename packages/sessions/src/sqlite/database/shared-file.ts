import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makeDatabaseFile, nodeSQLite } from '@agentkit/core/internal'
import { copyBeforeMigration } from '../migrations/copy-before-migration.ts'
import { migrate } from '../migrations/migrations.ts'
import { prepareStatements, type Statements } from '../statements/statements.ts'

// Not an import, because importing `node:fs` loads more modules.
const { statSync } = process.getBuiltinModule('node:fs')

/** An open database file, shared by all stores of this thread that use it. */
export type SharedFile = {
  database: DatabaseSync
  statements: Statements
  /** The identity of the open file; another file may be at its path by now. */
  readonly file: string
  /** The stores that use it. It is closed when the last one has released it. */
  owners: number
}

/**
 * How long SQLite may wait for a lock, in milliseconds. This wait blocks the process; the rest of the wait is
 * asynchronous.
 */
const busyTimeoutMs = 20

/** A larger file takes longer to write than a process that ends may take. */
const maxVacuumBytes = 1_073_741_824

/** The open files by identity and durability: links and other spellings of a path lead to the same file. */
const openFiles = new Map<string, SharedFile>()

/** The file at a path: opened unless this thread already has it open, and created if it does not exist. */
export function acquireFile(path: string, durability: 'normal' | 'full'): SharedFile {
  if (path === ':memory:') return { ...openFile(path, durability), file: '', owners: 1 }
  makeDatabaseFile(path)
  const file = fileAt(path)
  const key = `${file} ${durability}`
  const shared = openFiles.get(key) ?? { ...openFile(path, durability), file, owners: 0 }
  openFiles.set(key, shared)
  shared.owners++
  return shared
}

/** Called once for each acquisition. */
export function releaseFile(shared: SharedFile): void {
  shared.owners--
  if (shared.owners > 0) return
  for (const [key, open] of openFiles) if (open === shared) openFiles.delete(key)
  removeTraces(shared.database)
  shared.database.close()
}

/**
 * Writes the file again after a session was deleted: SQLite zeroes deleted data, but not data that it has moved to
 * another page before. If this fails, for example on a full disk or because another process is reading, a later close
 * does it.
 */
function removeTraces(database: DatabaseSync): void {
  try {
    if (!database.prepare('SELECT 1 FROM traces').get() || sizeOf(database) > maxVacuumBytes) return
    database.exec('VACUUM')
    database.exec('DELETE FROM traces')
  } catch {
    // The row stays.
  }
}

function sizeOf(database: DatabaseSync): number {
  const { page_count = 0 } = database.prepare('PRAGMA page_count').get() ?? {}
  const { page_size = 0 } = database.prepare('PRAGMA page_size').get() ?? {}
  return Number(page_count) * Number(page_size)
}

/** The identity of the file at a path; empty if there is none. */
export function fileAt(path: string): string {
  const found = path === ':memory:' ? undefined : statSync(path, { throwIfNoEntry: false, bigint: true })
  return found ? `${found.dev}:${found.ino}` : ''
}

/** Opens a connection with the settings that every connection needs. */
export function openFile(path: string, durability: 'normal' | 'full'): Pick<SharedFile, 'database' | 'statements'> {
  // Synchronous and only here, so that SQLite is loaded when the first session is opened.
  const { DatabaseSync } = nodeSQLite()
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    // Deleted bytes are overwritten at once. Bytes that SQLite has moved before may leave traces: see `removeTraces`.
    database.exec('PRAGMA secure_delete = ON')
    // First, because it refuses foreign files, which the journal mode would change.
    migrate(database, basename(path), { copy: (version) => copyBeforeMigration(path, version) })
    database.exec('PRAGMA journal_mode = WAL')
    database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    database.exec('PRAGMA foreign_keys = ON')
    return { database, statements: prepareStatements(database) }
  } catch (error) {
    database.close()
    throw error
  }
}
