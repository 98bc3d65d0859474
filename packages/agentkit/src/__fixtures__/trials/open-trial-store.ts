import type { BackgroundRuns, RunStore, SessionStore } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { isPostgres, postgresStore } from '../../config/postgres-store.ts'

export type TrialStore = SessionStore & { runs: RunStore & { background: BackgroundRuns } }

export function openTrialStore(place: string): TrialStore {
  // Both have runs and a queue.
  return (isPostgres(place) ? postgresStore(place) : sqliteSessions(place)) as TrialStore
}
