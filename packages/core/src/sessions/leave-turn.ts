import type { StoredRun } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { limits } from '../limits.ts'
import { settledWithin } from '../util/async/abort.ts'
import type { TakenRun } from './recorded-run.ts'
import type { OpenTurn } from './turn.ts'
import { forgetUnendedRun, isConflict, leaveUnendedRun } from './unended-runs.ts'

/** A stored run that this process has taken over. */
export type OpenedTurn = TakenRun & { turn: OpenTurn }

/** Leaves a run that could not be opened as it was before it was taken over, and lets the next run have its session. */
export async function leaveTurn(store: SessionStore, { stored, turn, giveBack }: OpenedTurn): Promise<void> {
  if (giveBack) {
    await settledWithin(limits.endFailedMs, given(store, stored, giveBack))
    leaveUnendedRun(store, stored.key, { runId: stored.record.runId, end: giveBack })
  }
  turn.release()
}

/** Gives a run back, or leaves one that has ended meanwhile. Where the store fails, it is given back later. */
async function given(store: SessionStore, { key, record }: StoredRun, giveBack: () => Promise<unknown>): Promise<void> {
  await giveBack().catch((error) => {
    if (!isConflict(error)) throw error
  })
  forgetUnendedRun(store, key, record.runId)
}
