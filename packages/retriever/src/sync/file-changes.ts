import type { FileStatus, SyncReport } from '@agentkit/core'
import type { FileRecord } from '../data/file-record.ts'

/** A file that was added, replaced by a new version, or removed. */
export type FileChange = {
  /** Relative to the folder, with `/`. */
  file: string
  change: 'added' | 'changed' | 'removed'
  /** Whether it can be read now. */
  status: FileStatus
  /** Why the status is not `ok`. */
  reason?: string
}

/** Compares the files of successive syncs. */
export interface FileChanges {
  /**
   * @param records the files of the index
   * @param report of the same sync: it has the files that cannot be in the index
   * @returns the changes since the last call; none in the first call
   */
  since(records: readonly FileRecord[], report: Pick<SyncReport, 'skipped'>): FileChange[]
}

type Seen = Omit<FileChange, 'file' | 'change'> & { version: string }

export function fileChanges(): FileChanges {
  let before: Map<string, Seen> | undefined
  return {
    since(records, { skipped }) {
      const now = new Map<string, Seen>()
      for (const { file, status, reason = '' } of skipped) now.set(file, { status, reason, version: reason })
      for (const { file, status, reason, hash, size } of records) {
        now.set(file, { status, ...(reason !== undefined && { reason }), version: `${hash} ${size} ${status}` })
      }
      const last = before ?? now
      before = now
      return [...changed(last, now), ...removed(last, now)]
    },
  }
}

function changed(last: ReadonlyMap<string, Seen>, now: ReadonlyMap<string, Seen>): FileChange[] {
  return [...now].flatMap(([file, { version, ...seen }]) => {
    const known = last.get(file)
    if (known?.version === version) return []
    return [{ file, change: known ? ('changed' as const) : ('added' as const), ...seen }]
  })
}

function removed(last: ReadonlyMap<string, Seen>, now: ReadonlyMap<string, Seen>): FileChange[] {
  return [...last].flatMap(([file, { status }]) =>
    now.has(file) ? [] : [{ file, change: 'removed' as const, status }],
  )
}
