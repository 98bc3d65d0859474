import type { BackgroundRuns, RunStore, SessionStore } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { isPostgres, postgresStore } from '../../config/postgres-store.ts'

export type TrialStore = SessionStore & { runs: RunStore & { background: BackgroundRuns } }

/** @param staleAfterMs how soon a process that gives no sign has lost its runs, in a file */
export function openTrialStore(place: string, staleAfterMs?: number): TrialStore {
  const soon = staleAfterMs === undefined ? {} : { staleAfterMs, heartbeatMs: staleAfterMs / 5 }
  // Both have runs and a queue.
  return (isPostgres(place) ? postgresStore(place) : sqliteSessions(place, soon)) as TrialStore
}
