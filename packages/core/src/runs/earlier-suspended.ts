import type { StoredApproval } from '../contracts/run-store.ts'
import type { JSONValue, Message } from '../data/message.ts'
import { inCallOrder, unansweredCalls } from '../data/transcript.ts'
import type { RecordedOptions, RecordedProgress } from '../sessions/recorded-data.ts'
import { entryOf } from '../sessions/suspended-runs.ts'
import { asJSON } from '../util/json/clone-json.ts'
import { openApprovals } from './needed-approvals.ts'
import { type RunSnapshot, suspendedMembers } from './snapshot.ts'

/** What a store with `runs` keeps of a suspended run. */
export type SuspendedRecord = {
  agentId: string
  options: JSONValue
  progress: JSONValue
  approvals: StoredApproval[]
}

/**
 * Converts a run that was suspended when stores had no `runs`: its snapshot is in the state of its turn.
 *
 * @param run.state of the turn
 * @param run.messages all that the turn has stored
 * @returns `undefined` when the run cannot be resumed
 */
export function recordOfSuspended({
  runId,
  state,
  messages,
}: {
  runId: string
  state: JSONValue | undefined
  messages: readonly Message[]
}): SuspendedRecord | undefined {
  const entry = entryOf(state)
  if (entry?.waiting === undefined) return undefined
  const { agentId, seeded, version, parkedAt, waiting } = entry
  // The cast holds: `suspend` has stored the snapshot.
  const snapshot = waiting as unknown as RunSnapshot
  const place = { runId, step: snapshot.progress.steps, callers: '' }
  const suspended = suspendedMembers(snapshot, place)
  const calls = unansweredCalls(inCallOrder(messages.slice(seeded)))
  const { active = [] } = snapshot
  const options: RecordedOptions = { seeded }
  const progress: RecordedProgress = { snapshot: waiting, at: parkedAt, since: parkedAt, suspended: { version } }
  return {
    agentId,
    options: asJSON(options),
    progress: asJSON(progress),
    approvals: openApprovals(calls, place, { begun: new Map(), clientCalls: [], suspended }).map((approval) =>
      active.length > 0 ? { ...approval, path: [...active, ...(approval.path ?? [])] } : approval,
    ),
  }
}
