import type { AgentEvent, NewRunEntry, RunEnding, RunStore, SessionStore, StoredApproval } from '@agentkit/core'
import { key, load, user } from '../session-store-contract/turns.ts'

/** Stores of one database, each as a process of its own would open it. */
export type RunsUnderTest = {
  store: SessionStore
  runs: RunStore
  /** Opens another store of the same data. */
  open(): Promise<{ store: SessionStore; runs: RunStore }>
}

/** The stores of the current test. */
export type GetRuns = () => RunsUnderTest

export const conflict = { code: 'session-conflict' }
export const retryable = { code: 'session-conflict', retryable: true }
export const done: RunEnding = { status: 'done', finishReason: 'stop' }

/** A resumable run that keeps its events, for an empty session. */
export function newRun(runId: string, options: Partial<NewRunEntry> = {}): NewRunEntry {
  const { agentId } = key
  return { runId, agentId, expectedVersion: 0, input: [user(runId)], isResumable: true, keepsEvents: true, ...options }
}

export function approval(approvalId: string): StoredApproval {
  return { approvalId, callId: `call of ${approvalId}`, name: 'pay', input: { amount: 1 }, kind: 'approval' }
}

export function event(runId: string, seq: number): AgentEvent {
  return { type: 'text-delta', text: `${seq} é`, seq, runId, path: ['helper'] }
}

/** Suspends a new run with these approvals. */
export async function suspend(runs: RunStore, runId: string, ...approvalIds: string[]): Promise<void> {
  await runs.create(key, newRun(runId))
  await runs.suspend(runId, { attempt: 1, approvals: approvalIds.map(approval) })
}

/** Opens the same runs in another process, after the process that had them has died. */
export async function afterCrash({ store, open }: RunsUnderTest): Promise<{ store: SessionStore; runs: RunStore }> {
  const other = await open()
  await store.close()
  return other
}

export async function versionOf(store: SessionStore): Promise<number> {
  return (await load(store, key)).version
}
