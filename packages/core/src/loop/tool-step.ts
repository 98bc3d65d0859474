import type { ToolCall } from '../contracts/model.ts'
import type { Tool } from '../contracts/tool.ts'
import type { Approval, Decisions } from '../data/approval-data.ts'
import { distinctPassages } from '../data/citation.ts'
import type { JSONValue, ToolMessage } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { beginToolCalls } from '../policies/shared-budget.ts'
import { checkOrSuspend, requestDecisions } from '../runs/approvals.ts'
import { approvalIdOf, placeOf } from '../runs/decisions/approval-id.ts'
import { noteDecisions } from '../runs/earlier-decisions.ts'
import { approvalsOf, callsToApprove, memberApprovals, openApprovals } from '../runs/needed-approvals.ts'
import type { Reply } from '../runs/reply.ts'
import { untilAborted } from '../util/async/abort.ts'
import { delegate, delegatedMember, spentByWaiting } from './members/delegates.ts'
import { emitMissingResults } from './run/interrupted-step.ts'
import { MemberSuspended } from './run/parent-run.ts'
import type { Run, StepOutcome } from './run/types.ts'
import { executeTools, type ToolOutcome } from './tools/execute-tools.ts'
import { beginStep, resultsOf } from './tools/guard-of.ts'
import { refusedCalls } from './tools/refused-calls.ts'
import type { Verdicts } from './tools/tool-hooks.ts'

/**
 * Executes a step's tool calls: first those that need no approval, then the others as they are decided.
 *
 * @param decisions of a resumed run, whose calls are those that were pending
 */
export async function toolStep(run: Run, reply: Reply, decisions?: Decisions): Promise<StepOutcome> {
  const { calls } = reply
  const { state, scope, conversation, guard } = run
  const { suspended } = run.members
  const stored = resultsOf(state.messages)
  beginStep(guard, reply.message, stored, calls.length)
  await emitMissingResults(run, stored)
  // A run whose process has died may have calls that were never checked for approval.
  const refused = refusedCalls(run, reply)
  const isSuspended = decisions !== undefined && scope.requested === undefined
  let own = isSuspended
    ? openApprovals(calls, placeOf(run), { ...state, suspended })
    : await approvalsFor(run, calls, refused)
  const checked = isSuspended ? await checkOrSuspend(run, own, decisions) : decisions
  // Approvals of members have a path.
  own = own.filter(({ path }) => path === undefined)
  const isPending = (callId: string): boolean => own.some((approval) => approval.callId === callId)
  const free = calls.filter(({ callId }) => !suspended.has(callId) && !isPending(callId))
  await execute(run, free, { ...noVerdicts, refused })
  if (run.delegates?.called.size) await delegate(run, run.delegates)
  for (let decided = checked; own.length + suspended.size > 0; decided = undefined) {
    const asked = [...own, ...memberApprovals(suspended)]
    const known = decided ?? (await requestDecisions(run, asked, await spentByWaiting(run)))
    if (!known) return { type: 'suspended' }
    if (!scope.member) noteDecisions(run.members.store, scope.runId, known)
    const ready = own.filter(({ approvalId }) => known[approvalId] !== undefined)
    own = own.filter((approval) => !ready.includes(approval))
    const due = calls.filter(({ callId }) => ready.some((approval) => approval.callId === callId))
    await execute(run, due, verdictsOf(ready, known))
    for (const { callId } of ready) state.begun.delete(callId)
    await resumeMembers(run, calls, known)
    if (run.delegates?.called.size) await delegate(run, run.delegates)
  }
  Object.assign(state, { collected: [], clientCalls: [], counted: [] })
  run.delegates?.known.clear() // the model may use the ids of these calls again
  // The model sees the results in the order of their calls, those from before a suspension too.
  const results = resultsOf(state.messages)
  state.messages.splice(state.messages.length - results.length)
  for (const message of inCallOrder(results, reply)) {
    state.messages.push(message)
    conversation.add(message)
  }
  return { type: 'tool-calls', reply }
}

/** The approvals of a step that has not waited yet. */
async function approvalsFor(run: Run, calls: readonly ToolCall[], refused: Verdicts['refused']): Promise<Approval[]> {
  const { toolBox, scope, state, members } = run
  const place = placeOf(run)
  const unknown = calls.filter(({ callId, name }) => isUnknown(callId, toolBox.byName.get(name)?.tool))
  for (const { callId } of unknown) members.suspended.delete(callId)
  for (const { callId } of calls) if (!unknown.some((call) => call.callId === callId)) state.begun.delete(callId)
  const others = calls.filter((call) => !unknown.includes(call) && !refused.has(call.callId))
  // An earlier decision stays valid when the tool's rule would decide otherwise now.
  const known = others.filter(({ callId }) => scope.requested?.has(approvalIdOf(place, callId)))
  const rest = others.filter((call) => !known.includes(call) && !members.suspended.has(call.callId))
  const asked = toolBox.mayNeedApproval ? await untilAborted(scope.signal, callsToApprove(rest, toolBox, place)) : []
  const isClients = ({ callId, name }: ToolCall): boolean =>
    state.clientCalls.includes(callId) || toolBox.byName.get(name)?.tool.client === true
  state.clientCalls = [...known, ...rest].filter(isClients).map(({ callId }) => callId)
  return [...approvalsOf(unknown, place, state), ...approvalsOf(known, place, state), ...asked]

  /** Whether a call had begun when its process died, and may not be run again without a decision. */
  function isUnknown(callId: string, tool: Tool | undefined): boolean {
    // A member's run is the same one whenever its call is made.
    if (run.delegates?.known.has(callId)) return false
    if (tool && run.delegates && delegatedMember(run.agent, tool.name)) return false
    return state.begun.has(callId) && tool?.idempotent !== true
  }
}

async function execute(run: Run, calls: readonly ToolCall[], verdicts: Verdicts): Promise<void> {
  if (calls.length === 0) return
  const { counted } = run.state
  const uncounted = calls.filter(({ callId }) => !verdicts.refused.has(callId) && !counted.includes(callId))
  await beginToolCalls(run.ledger, uncounted.length)
  counted.push(...uncounted.map(({ callId }) => callId))
  await emitOutcomes(run, calls, verdicts)
}

/** Repeats the calls of suspended members for which there are decisions. */
async function resumeMembers(run: Run, calls: readonly ToolCall[], decisions: Decisions): Promise<void> {
  const { suspended, decided } = run.members
  for (const [callId, { approvals }] of suspended) {
    const known = Object.entries(decisions).filter(([id]) => approvals.some(({ approvalId }) => approvalId === id))
    if (known.length > 0) decided.set(callId, Object.fromEntries(known))
  }
  const due = calls.filter(({ callId }) => decided.has(callId))
  const before = new Map(suspended)
  await emitOutcomes(run, due, { ...noVerdicts, approved: new Set(due.map(({ callId }) => callId)) })
  for (const { callId } of due) {
    decided.delete(callId)
    // The call has its result now, also if the member could not be resumed, unless the member was suspended again.
    if (suspended.get(callId) === before.get(callId)) suspended.delete(callId)
  }
}

async function emitOutcomes(run: Run, calls: readonly ToolCall[], verdicts: Verdicts): Promise<void> {
  for (const running of executeTools(run, calls, verdicts)) {
    const outcome = await running
    if (!(outcome instanceof MemberSuspended)) await emitToolResult(run, outcome)
    else if ('suspended' in outcome.member) run.members.suspended.set(outcome.callId, outcome.member.suspended)
    else run.delegates?.called.set(outcome.callId, outcome.member.called)
  }
}

async function emitToolResult({ state, scope, finalTool }: Run, outcome: ToolOutcome): Promise<void> {
  const { message, output, durationMs, sources } = outcome
  state.messages.push(message)
  if (message.name === finalTool) return
  const { callId, name, isError = false } = message
  await scope.emit({ type: 'tool-result', callId, name, output, isError, durationMs })
  for (const source of distinctPassages(sources, state.sources)) {
    state.sources.push(source)
    await scope.emit({ type: 'source', source })
  }
}

function inCallOrder(results: readonly ToolMessage[], { message }: Reply): ToolMessage[] {
  return toolCalls(message).flatMap(({ callId }) => results.find((result) => result.callId === callId) ?? [])
}

const noVerdicts: Verdicts = { approved: new Set(), refused: new Map(), given: new Map() }

function verdictsOf(approvals: readonly Approval[], decisions: Decisions): Verdicts {
  const approved = new Set<string>()
  const refused = new Map<string, string>()
  const given = new Map<string, JSONValue>()
  for (const { approvalId, callId, kind } of approvals) {
    const decision = decisions[approvalId]
    if (decision === undefined) continue
    if (decision === true) approved.add(callId)
    else if ('result' in decision) given.set(callId, decision.result)
    else refused.set(callId, kind === 'unknown-outcome' ? unknownOutcome(decision.deny) : denied(decision.deny))
  }
  return { approved, refused, given }
}

function denied(reason: string): string {
  return `The call was denied: ${reason || 'no reason was given.'}`
}

function unknownOutcome(reason: string): string {
  const what = 'The outcome of the call is unknown: it had begun when its process died, and was not made again.'
  return reason === '' ? what : `${what} ${reason}`
}
