import type { DatabaseSync } from 'node:sqlite'
import { type LiveSegment, liveSegment } from '../../bm25/live-segment.ts'
import type { Segment } from '../../bm25/segment.ts'
import { timeSlices } from '../../util/time-slices.ts'
import { closedError, untilUnlocked } from './sqlite-database.ts'
import { toStorageError } from './sqlite-errors.ts'
import { listSegments, readSegment, type SegmentRow } from './sqlite-segments.ts'

/** A snapshot of an index. */
export type IndexView = {
  segments: readonly LiveSegment[]
  /** Changes with the index. */
  version: number
}

/** Reads an index during writes of others. */
export interface SQLiteReader {
  /** Runs `work` on one state of the database. */
  read<Result>(work: (database: DatabaseSync, version: number) => Result): Promise<Result>
  /** The same, with the text index of that state, which is loaded if necessary. */
  search<Result>(work: (view: IndexView, database: DatabaseSync) => Result): Promise<Result>
  /**
   * Collects the results of `page` until it returns none, with yields to the event loop. Starts again if the index
   * changes in between, so that all results come from one state.
   */
  collect<Item>(page: (database: DatabaseSync, collected: readonly Item[]) => readonly Item[]): Promise<Item[]>
}

export function sqliteReader(path: string, database: DatabaseSync): SQLiteReader {
  const askVersion = database.prepare('PRAGMA data_version')
  const segments = new Map<number, Segment>()
  let view: IndexView | undefined

  const read: SQLiteReader['read'] = (work) =>
    untilUnlocked(path, () => {
      if (!database.isOpen) throw closedError()
      database.exec('BEGIN')
      try {
        return work(database, askVersion.get()?.data_version as number)
      } finally {
        if (database.isTransaction) database.exec('COMMIT')
      }
    })

  /** The view of the current state, or the segments that it lacks. Within a transaction. */
  const viewOf = (version: number): IndexView | SegmentRow[] => {
    if (view?.version === version) return view
    const rows = listSegments(database)
    const missing = rows.filter(({ number }) => !segments.has(number))
    if (missing.length > 0) return missing
    const live = rows.flatMap(({ number, dead }) => {
      const segment = segments.get(number)
      return segment ? [liveSegment(segment, dead)] : []
    })
    const numbers = new Set(rows.map(({ number }) => number))
    for (const number of segments.keys()) if (!numbers.has(number)) segments.delete(number)
    view = { segments: live, version }
    return view
  }

  let loading: Promise<void> = Promise.resolve()
  const load = (rows: readonly SegmentRow[]): Promise<void> => {
    const result = loading.then(async () => {
      const slices = timeSlices()
      for (const row of rows) {
        if (segments.has(row.number)) continue
        if (!database.isOpen) throw closedError()
        const segment = await readSegment(path, database, row, slices).catch((error: unknown) => {
          throw toStorageError(error, path)
        })
        if (segment) segments.set(row.number, segment)
      }
    })
    loading = result.catch(() => {})
    return result
  }

  return {
    read,

    async search(work) {
      for (;;) {
        const outcome = await read((_, version) => {
          const found = viewOf(version)
          return 'segments' in found ? { result: work(found, database) } : { missing: found }
        })
        if ('result' in outcome) return outcome.result
        await load(outcome.missing)
      }
    },

    async collect<Item>(page: (database: DatabaseSync, collected: readonly Item[]) => readonly Item[]) {
      const slices = timeSlices()
      let began: number | undefined
      let collected: Item[] = []
      for (;;) {
        const isComplete = await read((_, version) => {
          if (began !== version) collected = []
          began = version
          for (;;) {
            const items = page(database, collected)
            for (const item of items) collected.push(item)
            if (items.length === 0) return true
            if (slices.isOver) return false
          }
        })
        if (isComplete) return collected
        await slices.next()
      }
    },
  }
}
