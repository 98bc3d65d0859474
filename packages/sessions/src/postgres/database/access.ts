import type { RunQueue } from '@agentkit/core'
import { MessageCache } from '../../util/message-cache.ts'
import type { Watchers } from '../../util/watchers.ts'
import type { Announcements } from './announcements.ts'
import type { Database, Query } from './database.ts'
import type { Holder } from './holder.ts'
import { runOrder } from './run-order.ts'

/** The parts that all operations of an open store share. */
export type Access = {
  database: Database
  holder: Holder
  watchers: Watchers
  announcements: Announcements
  /** The messages of the sessions that were loaded last. */
  cache: MessageCache
  /** Runs the calls of one run in their order. */
  inOrder: <T>(runId: string, work: () => Promise<T>) => Promise<T>
  /** Runs `work` in a transaction, after which those are called who watch the runs that it has touched. */
  write<T>(work: (writing: Writing) => Promise<T>, options?: { isSingle?: boolean }): Promise<T>
}

/** The parts that a transaction on runs uses. */
export type Writing = {
  query: Query
  holder: Holder
  /** The same in every try. */
  now: number
  /** The answer of an earlier try was lost: it may have been committed. */
  again: boolean
  /** Notes that it changes a run. */
  touch(runId: string): void
  /** Notes that a queued run needs its job no more. */
  unqueue(runId: string): void
}

export function openAccess(
  parts: Pick<Access, 'database' | 'holder' | 'watchers' | 'announcements'>,
  queue: RunQueue | undefined,
): Access {
  const { database, holder, watchers, announcements } = parts
  return {
    ...parts,
    cache: new MessageCache(),
    inOrder: runOrder(),
    async write(work, options) {
      const touched = new Set<string>()
      const unqueued = new Set<string>()
      // The clock is known once the database was reached.
      await holder.ensure()
      const now = holder.now()
      const result = await database.run((query, again) => {
        touched.clear()
        unqueued.clear()
        const touch = (runId: string): void => void touched.add(runId)
        return work({ query, holder, now, again, touch, unqueue: (runId) => void unqueued.add(runId) })
      }, options)
      for (const runId of touched) {
        watchers.notify(runId)
        announcements.announce(runId)
      }
      // A worker settles jobs that cannot be removed now.
      if (unqueued.size > 0) await queue?.remove?.([...unqueued]).catch(() => {})
      return result
    },
  }
}
