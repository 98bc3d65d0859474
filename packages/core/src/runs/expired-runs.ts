import type { RunStore, StoredRun } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError, isAgentKitError, toErrorInfo } from '../data/errors.ts'
import { progressOf } from '../sessions/recorded-data.ts'
import { approvalExpired } from '../sessions/suspended-runs.ts'
import { endOfTree } from './tree-spent.ts'

/** The error of a stored run that has ended because its approvals have expired. */
export function expiryOf({ record: { status, error, runId } }: StoredRun): AgentKitError | undefined {
  if (status !== 'failed' || error?.code !== 'approval') return undefined
  return new AgentKitError('approval', error.message, { runId })
}

/**
 * Ends the suspended runs of an agent whose approvals were not decided in time, with the code `approval`.
 * @param approvalMs how long approvals can be decided, in milliseconds
 */
export async function endExpiredRuns(store: SessionStore, agentId: string, approvalMs: number): Promise<void> {
  const { runs } = store
  if (!runs) return
  const ended: string[] = []
  for (;;) {
    const now = runs.now()
    const expired = await runs.expired([agentId], now - approvalMs)
    // A store may know the time only since this call: this machine's clock is ahead of its database's.
    if (runs.now() < now - 1_000) continue
    const found = expired.filter((runId) => !ended.includes(runId))
    for (const runId of found) {
      const stored = await runs.read(runId).catch((error) => endUnreadable(runs, runId, error))
      // The run was decided meanwhile, or could not be read.
      if (stored?.record.status !== 'waiting') continue
      // A run that an earlier version has suspended has no progress.
      const requestedAt = progressOf(stored)?.at ?? runs.now() - approvalMs
      const fix = 'Retry the run: it asks for them again.'
      const error = toErrorInfo(approvalExpired(runId, { approvalMs, requestedAt, fix }))
      const ending = { status: 'failed', finishReason: 'error', error } as const
      await runs.cancel(runId, await endOfTree(store, stored, ending))
    }
    if (found.length === 0) return
    ended.push(...found)
  }
}

/** Ends an expired run that is damaged, so that it keeps no other from being continued. @throws what may be over soon */
async function endUnreadable(runs: RunStore, runId: string, error: unknown): Promise<undefined> {
  if (!isAgentKitError(error) || error.code !== 'storage' || error.retryable) throw error
  await runs.cancel(runId, { status: 'failed', finishReason: 'error', error: toErrorInfo(error) })
}
