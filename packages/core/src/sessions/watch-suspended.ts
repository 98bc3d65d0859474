import type { RunStore, StoredRun } from '../contracts/run-store.ts'
import type { Decision, Decisions } from '../data/approval-data.ts'
import { AgentKitError } from '../data/errors.ts'
import { isEnded } from '../data/run-record.ts'
import { limits } from '../limits.ts'
import { alreadyResumed, notSuspended } from './suspended-runs.ts'

/** What happens to a suspended run in its store. */
export type SuspendedChange = { decisions: Decisions } | { ended: AgentKitError }

/**
 * Follows a suspended run that waits in this process: decisions on it, by whichever process, and its end.
 * @param run.attempt by which it was suspended
 * @param run.isAcquired whether a caller of this process is taking it over: its decisions are not for this run
 * @returns stops it
 */
export function watchSuspended(
  { runs, runId, attempt, isAcquired }: { runs: RunStore; runId: string; attempt: number; isAcquired(): boolean },
  listener: (change: SuspendedChange) => void,
): () => void {
  let isStopped = false
  let isReading = false
  let isStale = false
  let wasFree = false
  const look = async (isOwnWrite: boolean): Promise<void> => {
    isStale = true
    if (isReading) return
    isReading = true
    try {
      while (isStale && !isStopped) {
        isStale = false
        const stored = await runs.read(runId)
        // Another process that has decided may be about to continue the run.
        const isRunning = stored?.record.status === 'running'
        const mayBeTaken = isRunning && (isAcquired() || (!isOwnWrite && !wasFree))
        wasFree = isRunning
        if (!isStopped && !mayBeTaken) listener(changeOf(stored, runId, attempt))
      }
    } catch {
      // A store that fails now is read again later.
    } finally {
      isReading = false
    }
  }
  const unwatch = runs.watch(runId, () => void look(true))
  // Other processes do not call listeners of this one.
  const timer = setInterval(() => void look(false), limits.decisionPollMs)
  timer.unref()
  return () => {
    isStopped = true
    unwatch()
    clearInterval(timer)
  }
}

function changeOf(stored: StoredRun | undefined, runId: string, attempt: number): SuspendedChange {
  if (!stored) return { ended: notSuspended(runId) }
  const { status, finishReason, error } = stored.record
  if (status === 'failed' && finishReason === 'aborted') {
    return { ended: new AgentKitError('aborted', error?.message ?? 'The run was cancelled.', { runId }) }
  }
  if (status === 'failed' && error) return { ended: new AgentKitError(error.code, error.message, { runId }) }
  if (isEnded(status) || stored.attempt !== attempt) return { ended: alreadyResumed(runId) }
  return { decisions: decisionsOf(stored) }
}

/** All decisions that a run has received. */
export function decisionsOf({ approvals }: StoredRun): Record<string, Decision> {
  const decided = approvals.flatMap(({ approvalId, decision }) =>
    decision === undefined ? [] : [[approvalId, decision]],
  )
  return Object.fromEntries(decided)
}
