import { scriptedModel } from '@agentkit/testing'
import { Agent } from '../../agents/agent.ts'
import type { Decision, Decisions } from '../../data/approval-data.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { RunResult } from '../../runs/driver/run.ts'
import { allTools } from './any-tools.ts'
import type { Random } from '../random.ts'
import { currentWitness, type Witness } from './witness.ts'

/** A suspended run, and what its witness has seen. */
export type Waiting = { result: RunResult<unknown>; witness: Witness }

/** Random decisions: on all approvals, on some, on none, or on unknown ones. */
export function anyDecisions(random: Random, { result: { approvals }, witness }: Waiting): Decisions {
  if (random.oneIn(10)) return { none: true }
  const decisions: Record<string, Decision> = {}
  for (const { approvalId, callId } of approvals) {
    if (random.oneIn(4)) continue
    const isApproved = !random.oneIn(3)
    if (isApproved) witness.approves(callId)
    decisions[approvalId] = isApproved ? true : { deny: 'No.' }
  }
  return decisions
}

/**
 * Checks that a suspended run resumes once all is approved, for exactly one of two concurrent callers, and executes
 * each approved call once. @returns the violations
 */
export async function checkWaiting(
  waiting: ReadonlyMap<string, Waiting>,
  store: SessionStore,
  random: Random,
): Promise<string[]> {
  const problems: string[] = []
  const model = scriptedModel(Array.from({ length: waiting.size }, () => 'All done.'))
  const agent = new Agent({ name: 'Test', functions: allTools(random, model, store), model, sessions: store })
  for (const [runId, { result, witness }] of waiting) {
    if ((await store.find(runId))?.status !== 'waiting') continue
    witness.resumes()
    for (const { callId } of result.approvals) witness.approves(callId)
    const timesRun = (): number[] => {
      return result.approvals.map(({ callId }) => witness.executions.filter((seen) => seen.callId === callId).length)
    }
    const before = timesRun()
    const decisions = Object.fromEntries(result.approvals.map(({ approvalId }) => [approvalId, true as const]))
    const goesOn = () => currentWitness.run(witness, () => agent.resume(runId, decisions, { timeoutMs: 60_000 }).result)
    const ends = await Promise.all([goesOn(), goesOn()])
    const texts = ends.map(({ text, error }) => error?.code ?? text).sort()
    // A run without a session leaves nothing once it has ended.
    const isOne = texts[0] === 'All done.' && ['session-conflict', 'not-found'].includes(texts[1] ?? '')
    problems.push(...witness.problems)
    // Its budget may be used up.
    if (Object.keys(witness.budget).length > 0) continue
    if (!isOne) problems.push(`a run that waited ended in ${texts.join()}`)
    if (timesRun().some((times, index) => times !== (before[index] ?? 0) + 1)) {
      problems.push(`approved calls were run ${timesRun().join()} times`)
    }
  }
  return problems
}
