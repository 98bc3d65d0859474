import type { Approval, Decision, Decisions, StoredRun } from '@agentkit/core'
import { toolCallId } from './tool-call-id.ts'

/** The outputs of a client for the calls that it executes, by the ids that the client knows. */
export type ClientOutputs = ReadonlyMap<string, Decision>

/**
 * Decisions with those on the run's calls of client tools, which clients answer by the id of the call. A client that sends its
 * whole message again repeats decisions that are stored: those are left out.
 * @param idOf the id of a call that the client knows
 */
export function withOutputs(
  { approvals }: StoredRun,
  decisions: Decisions,
  outputs: ClientOutputs,
  idOf: (approval: Approval) => string = ({ path = [], callId }) => toolCallId(path, callId),
): Decisions {
  const all: [string, Decision][] = []
  for (const approval of approvals) {
    const { approvalId, kind, decision: stored } = approval
    const given = decisions[approvalId] ?? (kind === 'client-tool' ? outputs.get(idOf(approval)) : undefined)
    if (given === undefined || JSON.stringify(given) === JSON.stringify(stored)) continue
    all.push([approvalId, given])
  }
  // Approvals that the run does not have are refused where they are decided.
  const unknown = Object.entries(decisions).filter(([id]) => !approvals.some(({ approvalId }) => approvalId === id))
  all.push(...unknown)
  return all.length > 0 ? Object.fromEntries(all) : decisions
}
