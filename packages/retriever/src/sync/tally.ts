import type { FileRecord } from '../data/file-record.ts'
import type { SyncPlan } from './plan.ts'
import type { FileChange } from './read-files.ts'

/** Counts the work of a sync. */
export interface Tally {
  readonly indexed: number
  readonly removed: number
  /** Adds changes that were written, and returns their counts. */
  add(changes: readonly FileChange[]): { files: number; bytes: number; chunks: number }
  /** The current records of the selected files, in order. */
  records(): FileRecord[]
}

export function tallyOf(plan: SyncPlan, isAsked: (file: string) => boolean): Tally {
  const records = [...plan.unchanged]
  const tally = { indexed: 0, removed: plan.removed.filter(isAsked).length }
  return {
    get indexed() {
      return tally.indexed
    },
    get removed() {
      return tally.removed
    },
    add(changes) {
      const done = { files: changes.length, bytes: 0, chunks: 0 }
      for (const { file, outcome, record, chunks } of changes) {
        done.bytes += file.size
        if (chunks !== 'keep') done.chunks += chunks.length
        if (outcome === 'indexed') tally.indexed++
        if (outcome !== 'gone') records.push(record)
        else if (file.known) tally.removed++
      }
      return done
    },
    records: () => records.sort((one, other) => (one.file < other.file ? -1 : 1)),
  }
}
