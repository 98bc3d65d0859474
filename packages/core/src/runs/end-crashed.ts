import type { SessionStore } from '../contracts/session-store.ts'
import { limits } from '../limits.ts'
import { forgetUnendedRun, isConflict, leaveUnendedRun, noteUnendedRun } from '../sessions/unended-runs.ts'
import { endOfTree } from './tree-spent.ts'

/** Ends a run with which too many processes have died, unless another process has it. */
export async function endCrashed(store: SessionStore, runId: string): Promise<void> {
  const { runs } = store
  if (!runs) return
  try {
    const stored = await runs.takeOver(runId, { expectedVersion: 0 })
    const message = `The process of the run died with it ${limits.poisonEnds} times.`
    const error = { code: 'crashed', message, retryable: false } as const
    const end = async (): Promise<void> => {
      const ending = await endOfTree(store, stored, { status: 'failed', finishReason: 'error', error })
      await runs.end(runId, { ...ending, attempt: stored.attempt })
    }
    noteUnendedRun(store, stored.key, { runId, end })
    try {
      await end()
      forgetUnendedRun(store, stored.key, runId)
    } finally {
      leaveUnendedRun(store, stored.key, { runId })
    }
  } catch (error) {
    if (!isConflict(error)) throw error
  }
}
