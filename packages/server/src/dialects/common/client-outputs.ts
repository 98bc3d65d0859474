import type { Decision, Decisions, StoredRun } from '@agentkit/core'
import { toolCallId } from './tool-call-id.ts'

/** What a client gives for the calls that it executes, by their ids (see `toolCallId`). */
export type ClientOutputs = ReadonlyMap<string, Decision>

/**
 * Decisions with those on the run's calls of client tools, which clients answer by the id of the call. A client that sends its
 * whole message again repeats decisions that are stored: those are left out.
 */
export function withOutputs({ approvals }: StoredRun, decisions: Decisions, outputs: ClientOutputs): Decisions {
  const all: [string, Decision][] = []
  for (const { approvalId, path = [], callId, kind, decision: stored } of approvals) {
    const given = decisions[approvalId] ?? (kind === 'client-tool' ? outputs.get(toolCallId(path, callId)) : undefined)
    if (given === undefined || JSON.stringify(given) === JSON.stringify(stored)) continue
    all.push([approvalId, given])
  }
  // Approvals that the run does not have are refused where they are decided.
  const unknown = Object.entries(decisions).filter(([id]) => !approvals.some(({ approvalId }) => approvalId === id))
  all.push(...unknown)
  return all.length > 0 ? Object.fromEntries(all) : decisions
}
