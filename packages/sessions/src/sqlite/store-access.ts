import type { Watchers } from '../util/watchers.ts'
import { type Holder, type HolderOptions, openHolder } from './holders.ts'
import type { SQLiteDatabase } from './sqlite-database.ts'
import type { Statements } from './statements.ts'

/** What all parts of an open store share. */
export interface StoreAccess {
  readonly holder: Holder
  readonly watchers: Watchers
  read<T>(work: (statements: Statements) => T): Promise<T>
  /**
   * Runs `work` in a transaction, after which the watchers of the runs that it has touched are called.
   * `committed` follows the commit before anything else can happen in this thread.
   */
  write<T>(work: (statements: Statements, touch: Touch) => T, committed?: (result: T) => void): Promise<T>
}

/** What a transaction on runs works with. */
export type Writing = { statements: Statements; touch: Touch; holder: Holder; now: number }

/** Notes that the transaction changes a run. */
export type Touch = (runId: string) => void

export function openStore(database: SQLiteDatabase, watchers: Watchers, options: HolderOptions): StoreAccess {
  return {
    holder: openHolder(database, options),
    watchers,
    read: (work) => database.read(work),
    write(work, committed) {
      let touched: string[] = []
      const attempt = (statements: Statements): ReturnType<typeof work> => {
        // A transaction that found the database locked runs again.
        touched = []
        return work(statements, (runId) => void touched.push(runId))
      }
      return database.transaction(attempt, (result) => {
        committed?.(result)
        for (const runId of touched) watchers.notify(runId)
      })
    },
  }
}
