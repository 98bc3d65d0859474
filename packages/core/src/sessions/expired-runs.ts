import type { RunStore } from '../contracts/run-store.ts'
import { toErrorInfo } from '../data/errors.ts'
import { withEndEvent } from './end-event.ts'
import { approvalExpired } from './suspended-runs.ts'

/**
 * Ends the suspended runs of an agent whose approvals were not decided in time, with the code `approval`.
 *
 * @param approvalMs how long approvals can be decided, in milliseconds
 * @returns the ids of the runs
 */
export async function endExpiredRuns(runs: RunStore, agentId: string, approvalMs: number): Promise<string[]> {
  const ended: string[] = []
  for (;;) {
    const expired = await runs.expired([agentId], runs.now() - approvalMs)
    const found = expired.filter((runId) => !ended.includes(runId))
    for (const runId of found) {
      const error = toErrorInfo(approvalExpired(runId, approvalMs))
      const stored = await runs.read(runId)
      if (stored) await runs.cancel(runId, withEndEvent(stored, { status: 'failed', finishReason: 'error', error }))
    }
    if (found.length === 0) return ended
    ended.push(...found)
  }
}
