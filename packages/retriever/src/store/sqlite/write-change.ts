import type { DatabaseSync } from 'node:sqlite'
import { type TimeSlices, timeSlices } from '../../util/time-slices.ts'
import type { Change } from '../store.ts'
import { applyChange, type WrittenIndex } from './sqlite-apply.ts'
import { transaction } from './sqlite-database.ts'
import { type MergeOptions, mergeRows, planMerge } from './sqlite-merge.ts'
import { countBits, listSegments } from './sqlite-segments.ts'
import { sweep } from './sqlite-sweep.ts'

/** Only small segments are merged right after a change, so that a change stays fast. */
const afterChange: MergeOptions = { neighbours: 8, mostDocs: 4_000 }

/**
 * Applies a change in one transaction, and cleans up.
 *
 * @param onApplied called once it is committed
 */
export async function writeChange(
  index: WrittenIndex,
  change: Change,
  signal: AbortSignal,
  onApplied: () => void,
): Promise<void> {
  const { path, database } = index
  const slices = timeSlices(signal)
  await transaction(database, path, () => applyChange(index, change, slices))
  onApplied()
  // The change is committed, whatever this fails with: the next change cleans up again.
  await cleanUp(path, database, afterChange, timeSlices()).catch(() => {})
}

/** Deletes rows that changes have left, and merges segments. */
export async function cleanUp(
  path: string,
  database: DatabaseSync,
  options: MergeOptions,
  slices: TimeSlices,
): Promise<void> {
  await sweep(path, database, slices)
  for (;;) {
    const rows = listSegments(database)
    const living = rows.map(({ docs, dead }) => docs - countBits(dead))
    const range = planMerge(rows, living, options)
    if (!range) return
    await mergeRows(path, database, rows.slice(range.from, range.to), slices)
  }
}
