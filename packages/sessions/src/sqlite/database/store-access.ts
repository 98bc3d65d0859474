import type { Watchers } from '../../util/watchers.ts'
import type { Statements } from '../statements/statements.ts'
import { type Holder, type HolderOptions, openHolder } from './holders.ts'
import type { SQLiteDatabase } from './sqlite-database.ts'

/** The parts that all operations of an open store share. */
export interface StoreAccess {
  readonly holder: Holder
  readonly watchers: Watchers
  read<T>(work: (statements: Statements) => T): Promise<T>
  /**
   * Runs `work` in a transaction, after which the watchers of the runs that it has touched are called.
   * `committed` follows the commit before anything else can happen in this thread.
   */
  write<T>(work: (statements: Statements, touch: Touch, hold: Hold) => T, committed?: (result: T) => void): Promise<T>
}

/** The parts that a transaction on runs uses. */
export type Writing = { statements: Statements; touch: Touch; holder: Holder; now: number }

/** Records that the transaction changes a run. */
export type Touch = (runId: string) => void

/**
 * Holds work before the transaction is committed, because a later call of the same commit must not take the run for a
 * lost one. The work is released when the transaction fails.
 */
export type Hold = (work: string, attempt?: number) => void

export function openStore(database: SQLiteDatabase, watchers: Watchers, options: HolderOptions): StoreAccess {
  const holder = openHolder(database, options)
  return {
    holder,
    watchers,
    read: (work) => database.read(work),
    async write(work, committed) {
      let touched: string[] = []
      let held: Parameters<Hold>[] = []
      const undo = (): void => {
        for (const entry of held) holder.release(...entry)
        touched = []
        held = []
      }
      const attempt = (statements: Statements): ReturnType<typeof work> => {
        // A transaction that found the database locked runs again.
        undo()
        const touch: Touch = (runId) => void touched.push(runId)
        const hold: Hold = (...entry) => {
          held.push(entry)
          holder.hold(...entry)
        }
        try {
          return work(statements, touch, hold)
        } catch (error) {
          undo()
          throw error
        }
      }
      try {
        return await database.transaction(attempt, (result) => {
          held = []
          committed?.(result)
          for (const runId of touched) watchers.notify(runId)
        })
      } catch (error) {
        undo()
        throw error
      }
    },
  }
}
