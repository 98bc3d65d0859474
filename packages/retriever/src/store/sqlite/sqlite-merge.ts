import type { DatabaseSync } from 'node:sqlite'
import { type LiveSegment, liveSegment } from '../../bm25/live-segment.ts'
import { mergeSegments } from '../../bm25/merge-segments.ts'
import { mostDocs } from '../../bm25/segment.ts'
import type { TimeSlices } from '../../util/time-slices.ts'
import { transaction } from './sqlite-database.ts'
import { deleteSegment, readSegment, type SegmentRow, writeSegment } from './sqlite-segments.ts'

export type MergeOptions = {
  /** The number of neighbours of similar size that are merged. */
  neighbours: number
  /** The largest number of documents of one merge. */
  mostDocs?: number
  /** The largest number of bytes of one merge, which holds some copies of them. */
  mostBytes?: number
}

/**
 * The segments to merge next: neighbours of similar size, so that each document is merged only a few times, or one with
 * many deleted documents. Undefined when no merge is needed.
 */
export function planMerge(
  rows: readonly Pick<SegmentRow, 'docs' | 'dead' | 'bytes'>[],
  living: readonly number[],
  { neighbours, mostDocs: most = mostDocs, mostBytes = Number.POSITIVE_INFINITY }: MergeOptions,
): { from: number; to: number } | undefined {
  const levels = living.map(levelOf)
  for (let level = 0; level <= Math.max(...levels, 0); level++) {
    let run = { from: 0, docs: 0, bytes: 0, ofLevel: 0 }
    for (let at = 0; at <= rows.length; at++) {
      const docs = living[at] ?? 0
      const bytes = rows[at]?.bytes ?? 0
      const isSmall = at < rows.length && (levels[at] ?? 0) <= level
      if (!isSmall || run.docs + docs > most || run.bytes + bytes > mostBytes) {
        if (run.ofLevel >= neighbours) return { from: run.from, to: at }
        run = { from: isSmall ? at : at + 1, docs: 0, bytes: 0, ofLevel: 0 }
      }
      if (!isSmall) continue
      run.docs += docs
      run.bytes += bytes
      if (levels[at] === level) run.ofLevel++
    }
  }
  const sparse = rows.findIndex((row, at) => row.docs <= most && (living[at] ?? 0) < row.docs * 0.6)
  return sparse < 0 ? undefined : { from: sparse, to: sparse + 1 }
}

/** Sizes grow eightfold from level to level. */
function levelOf(docs: number): number {
  return Math.max(0, Math.floor(Math.log(docs / 64) / Math.log(8)) + 1)
}

/** Replaces several segments by one, in a transaction of its own. */
export async function mergeRows(
  path: string,
  database: DatabaseSync,
  rows: readonly SegmentRow[],
  slices: TimeSlices,
): Promise<void> {
  const sources: LiveSegment[] = []
  for (const row of rows) {
    const segment = await readSegment(path, database, row, slices)
    // Another process was faster.
    if (!segment) return
    sources.push(liveSegment(segment, row.dead))
  }
  const merged = await mergeSegments(sources, slices)
  await transaction(database, path, async () => {
    const dead = database.prepare('SELECT dead FROM segments WHERE number = ?')
    const isAsItWas = (row: SegmentRow): boolean => {
      const now = dead.get(row.number)?.dead
      return now instanceof Uint8Array && Buffer.compare(now, row.dead) === 0
    }
    if (!rows.every(isAsItWas)) return
    if (merged.docs.length > 0) await writeSegment(database, merged, slices)
    for (const row of rows) await deleteSegment(database, row, slices)
  })
}
