import type { SyncOptions, SyncReport } from '@agentkit/core'
import type { FileRecord } from '../data/file-record.ts'
import { type FileChange, fileChanges } from './file-changes.ts'
import { watchFolder } from './watch-folder.ts'

/** The signal that stops watching a folder, and the receivers of its changes. */
export type WatchOptions = {
  /** Stops watching. */
  signal: AbortSignal
  /**
   * Called with the report of each sync that found something new, and the files that have changed since the last call,
   * also when another sync has found them before. The first call names none.
   */
  onSync?(report: SyncReport, changes: FileChange[]): void
  /** Called when a sync fails, once for consecutive equal failures; watching continues. */
  onError?(error: unknown): void
}

type WatchedFolder = {
  folder: string
  /** A folder in it whose changes do not count. */
  except: string
  sync(options: SyncOptions): Promise<SyncReport>
  records(): Promise<FileRecord[]>
}

/** Syncs a folder now, and whenever one of its files changes. */
export function syncOnChange(
  { folder, except, sync, records }: WatchedFolder,
  { signal, onSync, onError }: WatchOptions,
): void {
  let last = ''
  let failure: string | undefined
  const files = fileChanges()
  watchFolder(folder, {
    except,
    signal,
    async onChange() {
      try {
        const report = await sync({ signal })
        const { indexed, removed, skipped, warnings } = report
        const notes = JSON.stringify([skipped, warnings])
        const changes = files.since(await records(), report)
        if (indexed > 0 || removed > 0 || changes.length > 0 || notes !== last) onSync?.(report, changes)
        last = notes
        failure = undefined
      } catch (error) {
        const isNew = failure !== String(error)
        failure = String(error)
        try {
          // A folder that stays missing is reported once.
          if (!signal.aborted && isNew) onError?.(error)
        } catch {
          // Watching continues, whatever is called.
        }
      }
    },
  })
}
