import type { FileRecord } from '../data/file-record.ts'
import type { Scan, ScannedFile } from './scan.ts'

/** A file that has to be read, with its known record. */
export type FileToRead = ScannedFile & { known?: FileRecord }

export type SyncPlan = {
  /** New files, and files that may have changed. */
  read: FileToRead[]
  /** Files without changes. */
  unchanged: FileRecord[]
  /** Deleted files. */
  removed: string[]
}

export type PlanOptions = {
  /** Whether a file is within the scope of this sync. */
  isAsked(file: string): boolean
  maxFileBytes: number
  /** The result of `limitsMark` for the current limits of parsing. */
  limitsMark: string
}

/** Plans a sync: the difference between the folder and the records of its index. */
export function planSync(scan: Scan, records: readonly FileRecord[], options: PlanOptions): SyncPlan {
  const { isAsked } = options
  const known = new Map(records.map((record) => [record.file, record]))
  const plan: SyncPlan = { read: [], unchanged: [], removed: [] }
  for (const scanned of scan.files) {
    const record = known.get(scanned.file)
    if (!record) {
      plan.read.push(scanned)
      continue
    }
    known.delete(scanned.file)
    const isSame = record.size === scanned.size && record.mtimeMs === scanned.mtimeMs
    if (!isSame || mayBeReadNow(record, options)) plan.read.push({ ...scanned, known: record })
    else plan.unchanged.push(record)
  }
  const unseenFiles = new Set(scan.unseen.filter(({ status }) => status !== 'unsupported').map(({ file }) => file))
  const unseenFolders = [...unseenFiles].filter((file) => file.endsWith('/'))
  for (const record of known.values()) {
    if (scan.others.has(record.file)) continue
    // It is not known whether a file in an unread place was deleted.
    const isUnseen = unseenFiles.has(record.file) || unseenFolders.some((folder) => record.file.startsWith(folder))
    if (!isUnseen) plan.removed.push(record.file)
    else if (isAsked(record.file)) plan.unchanged.push(record)
  }
  return plan
}

/** A file that was too large may fit now, and one without permissions may be readable. */
function mayBeReadNow({ status, size, hash }: FileRecord, { maxFileBytes, limitsMark }: PlanOptions): boolean {
  // A hostile file costs its CPU time once, not in each sync.
  return status === 'too-large' ? size <= maxFileBytes && hash !== limitsMark : hash === ''
}

/**
 * The time to record for a file that was read at `readAt`. If the file could still change without a later time, a time
 * that never matches, so that the next sync reads its bytes.
 *
 * File systems have time steps: some of 2 seconds, recognisable by times without a fraction; the others of milliseconds.
 */
export function timeToRemember(mtimeMs: number, readAt: number): number {
  const step = Number.isInteger(mtimeMs / 1000) ? 2000 : 50
  return readAt - mtimeMs < step ? 0 : mtimeMs
}
