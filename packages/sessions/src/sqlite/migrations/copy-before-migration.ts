import { basename, dirname } from 'node:path'
import { terminalLine } from '@agentkit/core'
import { nodeSQLite, sqliteCode, systemCode } from '@agentkit/core/internal'

const { closeSync, openSync, renameSync, rmSync, statfsSync, statSync } = process.getBuiltinModule('node:fs')

/**
 * Copies a database into its own folder before it is migrated, if the disk has room, and prints a line about it. The
 * caller holds the write lock: one process copies at a time, and it copies the earlier version.
 *
 * @param path of the database
 * @param version the version of the copied schema
 */
export function copyBeforeMigration(path: string, version: number): void {
  const copy = `${path}.version-${version}`
  const partial = `${copy}.partial`
  const file = basename(path)
  const migrating = `the session database ${file} is migrated to a newer version`
  if (!hasRoomFor(path)) {
    report(`${migrating}, without a copy of it: its disk has no room for one.`)
    return
  }
  try {
    // An earlier attempt may have been killed.
    rmSync(partial, { force: true })
    // SQLite accepts an empty file, and would create one that everyone can read.
    closeSync(openSync(partial, 'wx', 0o600))
    vacuumInto(path, partial)
    renameSync(partial, copy)
  } catch (error) {
    rmSync(partial, { force: true })
    if (!isFull(error)) throw error
    report(`${migrating}, without a copy of it: its disk has no room for one.`)
    return
  }
  report(`${migrating}; ${basename(copy)} is a copy of it as it was. Delete the copy when you no longer need it.`)
}

/** A second connection, as a connection that holds the write lock cannot copy. */
function vacuumInto(path: string, copy: string): void {
  const { DatabaseSync } = nodeSQLite()
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.prepare('VACUUM INTO ?').run(copy)
  } finally {
    database.close()
  }
}

/** Room for the copy, and for the migration, which writes each row of a table again. */
function hasRoomFor(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path))
  const { size } = statSync(path)
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return bavail * bsize > 2 * (size + log) + 16_777_216
}

/** SQLite's codes for a disk that is full, and for a file that cannot grow. */
function isFull(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 13 || code === 10 || systemCode(error) === 'ENOSPC'
}

function report(text: string): void {
  console.warn(terminalLine(`agentkit: ${text}`))
}
