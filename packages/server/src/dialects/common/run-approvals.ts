import type { Decision, Decisions } from '@agentkit/core'
import { invalid, type Path } from '../../answer/field-problems.ts'

/** An approval, as clients see it that know no runs: with its run. */
export function approvalRef(runId: string, approvalId: string): string {
  return `${runId}/${approvalId}`
}

/** A decision on an approval, and where its id is in the request. */
export type SentDecision = { ref: unknown; isApproved: boolean; reason: unknown; at: Path }

/** @throws ProblemError unless all approvals belong to one run of this server */
export function decisionsOfRun(sent: readonly SentDecision[]): { runId: string; decisions: Decisions } | undefined {
  // Entries, because an id of the request may be `__proto__`.
  const decisions: [string, Decision][] = []
  let runId: string | undefined
  for (const { ref, isApproved, reason, at } of sent) {
    const slash = typeof ref === 'string' ? ref.indexOf('/') : -1
    if (typeof ref !== 'string' || slash < 1) throw invalid(at, 'must be the id of an approval of this server')
    const of = ref.slice(0, slash)
    if (runId !== undefined && runId !== of) throw invalid(at, 'must be of the same run as the others')
    runId = of
    decisions.push([ref.slice(slash + 1), isApproved || { deny: typeof reason === 'string' ? reason : '' }])
  }
  return runId === undefined ? undefined : { runId, decisions: Object.fromEntries(decisions) }
}
