import type { SharedFile } from './shared-file.ts'
import { lockError } from './sqlite-errors.ts'

// Not an import, because importing `node:fs` loads more modules.
const { realpathSync, statSync } = process.getBuiltinModule('node:fs')

/** The longest log, in bytes, and how long calls wait for it to be emptied, in milliseconds. */
const usualLogBytes = 67_108_864
const emptyMs = 200

type LoggedDatabase = {
  path: string
  maxLogBytes: number | undefined
  /** The file, while it is open. */
  opened(): SharedFile | undefined
  /** Calls `work` between the other calls, again while the file is locked, for so many milliseconds. */
  enqueue(work: () => void, waitMs: number): Promise<void>
}

/**
 * Empties a long log, with each call. SQLite starts a log again only at a moment at which no process reads or writes, so it
 * grows for as long as several processes write all the time. The calls of this process wait meanwhile, which gives the others
 * that moment.
 */
export function longLogCleaner({
  path,
  maxLogBytes = usualLogBytes,
  opened,
  enqueue,
}: LoggedDatabase): () => Promise<void> {
  let isEmptying = false
  return async () => {
    if (isEmptying) return
    isEmptying = true
    try {
      if (logBytes(path) > maxLogBytes) await enqueue(() => emptyLog(opened()), emptyMs)
    } catch {
      // Others use the log, or the store is closed.
    } finally {
      isEmptying = false
    }
  }
}

/** The size of the write-ahead log of the file at a path. */
function logBytes(path: string): number {
  if (path === ':memory:') return 0
  return statSync(`${realpathSync(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

/** Writes the log into the database and cuts it. @throws an error of a lock while another process uses it */
function emptyLog(file: SharedFile | undefined): void {
  if (file?.statements.emptyLog.get()?.busy) throw lockError()
}
