import type { FileRecord } from '../data/file-record.ts'
import type { Scan, ScannedFile } from './scan.ts'

/** A file that has to be read, with what is known of it already. */
export type FileToRead = ScannedFile & { known?: FileRecord }

export type SyncPlan = {
  /** What is new, or may have changed. */
  read: FileToRead[]
  /** What is as it was. */
  unchanged: FileRecord[]
  /** Files that are gone. */
  removed: string[]
}

export type PlanOptions = {
  /** Whether a file is one of those that this sync is about. */
  isAsked(file: string): boolean
  maxFileBytes: number
  /** What `limitsMark` gives for the limits that files are parsed within now. */
  limitsMark: string
}

/** What a sync has to do: the difference between the folder and the records of its index. */
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
    // Nobody knows whether it is gone.
    const isUnseen = unseenFiles.has(record.file) || unseenFolders.some((folder) => record.file.startsWith(folder))
    if (!isUnseen) plan.removed.push(record.file)
    else if (isAsked(record.file)) plan.unchanged.push(record)
  }
  return plan
}

/** What was too large once may fit now, and bytes that could not be had, for a lack of rights, may be had. */
function mayBeReadNow({ status, size, hash }: FileRecord, { maxFileBytes, limitsMark }: PlanOptions): boolean {
  // A hostile file costs its CPU time once, not at each sync.
  return status === 'too-large' ? size <= maxFileBytes && hash !== limitsMark : hash === ''
}

/**
 * The time to remember of a file that was read at `readAt`: one that will never be met where it could still change
 * without a later time, so that the next sync looks at its bytes.
 *
 * File systems count in steps: some of 2 seconds, which show by times without a fraction; the others of milliseconds.
 */
export function timeToRemember(mtimeMs: number, readAt: number): number {
  const step = Number.isInteger(mtimeMs / 1000) ? 2000 : 50
  return readAt - mtimeMs < step ? 0 : mtimeMs
}
