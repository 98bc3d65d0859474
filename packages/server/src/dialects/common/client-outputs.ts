import type { Approval, Decision, Decisions, StoredRun } from '@agentkit/core'
import { toolCallId } from './tool-call-id.ts'

/**
 * The outputs of a client for the calls that it executes, by the ids that the client knows. A protocol may leave open
 * which value an output is: the likeliest is the first, and the last is taken where that does not fit its tool.
 */
export type ClientOutputs = ReadonlyMap<string, readonly [Decision, ...Decision[]]>

/** Decisions, and others for those of them that do not fit. */
export type GivenDecisions = { decisions: Decisions; otherwise: Decisions }

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
): GivenDecisions {
  const all: [string, Decision][] = []
  const otherwise: [string, Decision][] = []
  for (const approval of approvals) {
    const { approvalId, kind, decision: stored } = approval
    const decided = decisions[approvalId]
    const given = decided ? [decided] : (kind === 'client-tool' && outputs.get(idOf(approval))) || []
    const [first, other] = given
    if (first === undefined || given.some((each) => JSON.stringify(each) === JSON.stringify(stored))) continue
    all.push([approvalId, first])
    if (other) otherwise.push([approvalId, other])
  }
  // Approvals that the run does not have are refused where they are decided.
  const unknown = Object.entries(decisions).filter(([id]) => !approvals.some(({ approvalId }) => approvalId === id))
  for (const each of unknown) all.push(each)
  return { decisions: all.length > 0 ? Object.fromEntries(all) : decisions, otherwise: Object.fromEntries(otherwise) }
}
