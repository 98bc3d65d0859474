import type { RunStore, StoredRun } from '../contracts/run-store.ts'
import { AgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'

/**
 * Reports that another process has ended or taken over a run of this one. The run's own next write would find that out, but a
 * model may answer, and a tool may work, for minutes without one.
 *
 * @param run.attempt by which this process has the run
 * @returns stops it
 */
export function watchEnded(
  { runs, runId, attempt }: { runs: RunStore; runId: string; attempt: number },
  interrupt: (reason: AgentKitError) => void,
): () => void {
  let isStopped = false
  let isReading = false
  const look = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    try {
      const stored = await runs.read(runId)
      const isHeld = stored?.record.status === 'running' && stored.attempt === attempt
      if (isHeld || isStopped) return
      stop()
      interrupt(reasonOf(stored, runId))
    } catch {
      // A store that fails now is read again later.
    } finally {
      isReading = false
    }
  }
  const timer = setInterval(() => void look(), limits.decisionPollMs)
  timer.unref()
  const stop = (): void => {
    isStopped = true
    clearInterval(timer)
  }
  return stop
}

/** A run that is gone was cancelled, and deleted with its session. */
function reasonOf(stored: StoredRun | undefined, runId: string): AgentKitError {
  if (!stored || stored.record.finishReason === 'aborted') {
    return new AgentKitError('aborted', stored?.record.error?.message ?? 'The run was cancelled.', { runId })
  }
  return new AgentKitError('session-conflict', `Another process has continued the run ${runId}.`, { runId })
}
