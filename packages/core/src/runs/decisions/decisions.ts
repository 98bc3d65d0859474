import type { Approval, Decision, Decisions } from '../../data/approval-data.ts'
import { AgentKitError, invalidArgument } from '../../data/errors.ts'
import type { JSONValue } from '../../data/message.ts'
import { isRecord } from '../../data/message-problem.ts'
import { limits } from '../../limits.ts'
import { measureJSON } from '../../util/json/measure-json.ts'
import { opaqueId } from './approval-id.ts'

/**
 * Checks the form of decisions, before the run is known.
 * @returns a copy
 * @throws AgentKitError `invalid-argument`, with the fix
 */
export function copyDecisions(decisions: unknown): Decisions {
  if (!isRecord(decisions)) {
    throw invalidArgument('Pass decisions as an object: { [approvalId]: true | { deny: "why" } }.')
  }
  return Object.fromEntries(Object.entries(decisions).map(([id, decision]) => [id, copyDecision(id, decision)]))
}

function copyDecision(approvalId: string, decision: unknown): Decision {
  if (decision === true) return true
  const fields = isRecord(decision) ? Object.keys(decision).filter((name) => decision[name] !== undefined) : []
  if (!isRecord(decision) || fields.length !== 1) throw noDecision(approvalId)
  const { deny, result } = decision
  if (typeof deny === 'string') {
    if (Buffer.byteLength(deny) <= limits.denialBytes) return { deny }
    throw invalidArgument(`The reason for "${approvalId}" is longer than ${limits.denialBytes} bytes. Shorten it.`)
  }
  if (result === undefined) throw noDecision(approvalId)
  const { chars, problem } = measureJSON(result, { depth: limits.argumentDepth, values: limits.argumentValues })
  // What `measureJSON` has no problem with is JSON.
  if (problem === undefined && chars <= limits.wholeResultChars) return { result: structuredClone(result) as JSONValue }
  throw invalidArgument(`The result for "${approvalId}" is plain JSON of at most ${limits.argumentValues} values.`)
}

function noDecision(approvalId: string): AgentKitError {
  return invalidArgument(`Decide "${approvalId}" by true, { deny: "why" } or { result }, one of them.`)
}

/** The error for a second decision. @param at in milliseconds since 1970 @param by who decided, where that is known */
export function alreadyDecided(approvalId: string, decision: Decision, at: number, by?: string | null): AgentKitError {
  const word = decision === true ? 'approved' : 'deny' in decision ? 'denied' : 'answered with a result'
  const who = by ? ` by ${by}` : ''
  const when = new Date(at).toISOString()
  const message = `The approval ${approvalId} was ${word}${who} at ${when}. The first decision holds.`
  return new AgentKitError('session-conflict', message)
}

/** @throws AgentKitError `not-found` for an approval that the run has not requested */
export function requireApprovals(runId: string, decisions: Decisions, approvals: readonly Approval[]): void {
  for (const id of Object.keys(decisions)) {
    if (approvals.some(({ approvalId }) => approvalId === id || approvalId === opaqueId(runId, id))) continue
    throw new AgentKitError('not-found', `The run ${runId} has no approval "${id}".`, { runId })
  }
}

/**
 * Checks that decisions are on pending approvals, and fit their kinds.
 *
 * @returns them by the ids of the approvals: an id that an earlier version has shown is another name of it
 * @throws AgentKitError `invalid-argument`
 */
export function checkDecisions(runId: string, decisions: Decisions, approvals: readonly Approval[]): Decisions {
  const checked: Record<string, Decision> = {}
  for (const [id, decision] of Object.entries(decisions)) {
    const isNamed = ({ approvalId }: Approval): boolean => approvalId === id || approvalId === opaqueId(runId, id)
    const approval = approvals.find(isNamed)
    if (!approval) {
      const pending = approvals.map(({ approvalId, name }) => `"${approvalId}" (${name})`).join(', ')
      throw invalidArgument(`No approval "${id}" is pending in this run. Pending are: ${pending}.`)
    }
    if (decision !== true && 'result' in decision && approval.kind === 'approval') {
      const message = `The call of ${approval.name} has not begun: decide "${id}" by true or { deny: "why" }.`
      throw invalidArgument(message)
    }
    if (decision === true && approval.kind === 'client-tool') {
      throw invalidArgument(`The client executes ${approval.name}: decide "${id}" by { result } or { deny: "why" }.`)
    }
    checked[approval.approvalId] = decision
  }
  return checked
}
