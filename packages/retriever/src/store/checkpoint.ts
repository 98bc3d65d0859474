import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * Moves a database's log into the database, in a separate thread, because it waits for the disk.
 *
 * @param longerThan a shorter log is kept, in bytes
 */
export async function checkpoint(path: string, longerThan: number): Promise<void> {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (!log || log.size <= longerThan) return
  await new Promise<void>((resolve) => {
    // Must not create the file again after another process has dropped it.
    const workerData = `${pathToFileURL(path).href}?mode=rw`
    const worker = new Worker(program, { eval: true, workerData, stdout: true, stderr: true, execArgv: [] })
    // A failure is ignored: SQLite does it itself when the last connection is closed.
    worker.once('error', () => resolve())
    worker.once('exit', () => resolve())
  })
}

/**
 * The program is a string, so that bundlers need no extra file. Most of it runs without a lock, then the log is
 * truncated.
 */
const program = `
// Node 22 warns that it is experimental.
process.emitWarning = () => {}
const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
const { workerData } = process.getBuiltinModule('node:worker_threads')
const database = new DatabaseSync(new URL(workerData), { timeout: 50 })
database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(PASSIVE); PRAGMA wal_checkpoint(TRUNCATE)')
database.close()
`
