import type { SessionStore } from '../contracts/session-store.ts'
import type { Decision, Decisions } from '../data/approval-data.ts'
import type { AgentKitError } from '../data/errors.ts'
import { perStore, setNewest } from '../sessions/session-queue.ts'
import { alreadyDecided } from './decisions/decisions.ts'

type Settled = Map<string, { decision: Decision; at: number }>

/** What this process has decided on approvals, by run: a store without `runs` keeps no decisions. */
const decidedRuns = perStore<Settled>()

/** Remembers decisions that a run has taken, where its store does not. */
export function noteDecisions(store: SessionStore, runId: string, decisions: Decisions): void {
  if (store.runs) return
  const decided = decidedRuns(store).get(runId) ?? new Map()
  const at = Date.now()
  for (const [id, decision] of Object.entries(decisions))
    if (!decided.has(id)) decided.set(id, { decision: kindOnly(decision), at })
  if (decided.size > 0) setNewest(decidedRuns(store), runId, decided)
}

/** A decision without its reason or result, of which the error shows nothing: a result may have megabytes. */
function kindOnly(decision: Decision): Decision {
  if (decision === true) return true
  return 'deny' in decision ? { deny: '' } : { result: null }
}

/** The error where one of the decisions was made before. */
export function earlierDecision(store: SessionStore, runId: string, decisions: Decisions): AgentKitError | undefined {
  const decided = decidedRuns(store).get(runId)
  for (const id of Object.keys(decisions)) {
    const before = decided?.get(id)
    if (before) return alreadyDecided(id, before.decision, before.at)
  }
  return undefined
}
