import type { Approval, Decisions } from '../data/approval-data.ts'
import { type AgentKitError, messageOf } from '../data/errors.ts'
import type { Emit, RunFinishReason } from '../data/event.ts'
import type { Message, UserMessage } from '../data/message.ts'
import { runAgent } from '../loop/run-agent.ts'
import type { AgentSpec, Inside } from '../loop/types.ts'
import { startDeadline } from '../policies/deadline.ts'
import { pendingApprovals } from '../runs/approvals.ts'
import { currentRun } from '../runs/current-run.ts'
import type { RunResult } from '../runs/run.ts'
import type { ParkedMember, WaitingStep } from '../runs/snapshot.ts'
import { linkSignal } from '../util/abort.ts'
import { addToLane, laneKey } from './lane.ts'
import { type MemberStatus, memberStatus } from './member-status.ts'
import { memberTurn } from './member-turn.ts'

export type MemberCall = {
  member: AgentSpec
  /** By which the run that calls knows it. */
  callId: string
  signal: AbortSignal
  history: readonly Message[]
  input: UserMessage
  /** Of a member that has waited and goes on. */
  resumed?: { parked: ParkedMember; decisions: Decisions }
}

export type MemberOutcome = {
  status: MemberStatus
  /** Why it is not `done`. */
  reason?: string
  finishReason: RunFinishReason
  text: string
  output: unknown
  error?: AgentKitError
  /** Where it waits. */
  parked?: ParkedMember
}

/**
 * Runs a member as a part of the run that calls it: in its event stream, under its budget and signal, in a lane of its
 * own. Whatever becomes of it is an outcome.
 */
export async function runMember(inside: Inside, call: MemberCall): Promise<MemberOutcome> {
  const running = followMember(inside, call)
  inside.scope.members.add(running)
  try {
    return await running
  } finally {
    inside.scope.members.delete(running)
  }
}

async function followMember(inside: Inside, call: MemberCall): Promise<MemberOutcome> {
  const { scope, store, progress } = inside
  const { member, callId, signal, history, input, resumed } = call
  const lane = `${inside.lane}/${member.id}`
  const turn = memberTurn(resumed ? resumed.parked.history : history)
  const controller = new AbortController()
  const end = (reason: AgentKitError): void => controller.abort(reason)
  const unlink = linkSignal(controller, signal)
  const deadline = startDeadline(end, member.timeoutMs)
  await scope.emit({ type: 'agent-start', name: member.name }, [member.id])
  const result = await runAgent(member, {
    ...{ runId: scope.runId, userId: scope.userId, sessionId: scope.sessionId, input, history: [] },
    ...{ budget: member.budget, parent: currentRun.getStore(), signal: controller.signal, end },
    emit: memberEmit(scope.emit, member.id),
    checkTime: deadline.check,
    approvals: pendingApprovals(scope.runId),
    members: new Set(),
    member: { turn, lane, store, ...(resumed ? { parked: resumed.parked } : {}) },
    ...(resumed ? { decisions: resumed.decisions } : {}),
  }).finally(() => {
    deadline.stop()
    unlink()
  })
  const outcome = outcomeOf(result)
  const { status, reason } = outcome
  await scope.emit({ type: 'agent-end', name: member.name, status, ...(reason ? { reason } : {}) }, [member.id])
  take(result, member, progress)
  if (status === 'failed' && result.warnings.length === 0) progress.warnings.push(`${member.name} failed: ${reason}`)
  const waiting = turn.waiting
  if (status === 'waiting' && waiting) {
    const approvals = result.approvals.map((approval) => fromMember(approval, callId, member.id))
    // What `park` was given, which is plain JSON.
    const step = waiting.step as unknown as WaitingStep
    return { ...outcome, parked: { approvals, history: turn.history, messages: waiting.messages, waiting: step } }
  }
  await keepInLane(inside, call, lane, result)
  return outcome
}

/** Of one tree there is one start and one end, and its outermost run asks for approvals: when all is stored. */
function memberEmit(emit: Emit, id: string): Emit {
  return (event, path) => {
    switch (event.type) {
      case 'run-start':
      case 'run-end':
      case 'approval-request':
        return undefined
      default:
        return emit(event, path ? [id, ...path] : [id])
    }
  }
}

function outcomeOf({ finishReason, text, output, error, warnings }: RunResult): MemberOutcome {
  const said = output !== undefined && text.trim() === '' ? JSON.stringify(output) : text
  const { status, reason } = memberStatus(finishReason, said)
  // Where a run ends early, why is the last that it was warned of.
  const why = error?.message ?? (reason && finishReason !== 'stop' ? warnings.at(-1) : undefined) ?? reason
  const isSpent = error?.code === 'budget'
  return {
    status: isSpent ? 'budget' : status,
    ...(why === undefined ? {} : { reason: why }),
    finishReason,
    text: said,
    output,
    ...(error ? { error } : {}),
  }
}

/** What a member has found and was warned of is its swarm's too. */
function take({ sources, warnings, approvals }: RunResult, { name }: AgentSpec, progress: Inside['progress']): void {
  for (const source of sources) {
    const isKnown = progress.sources.some(({ file, chunkId }) => file === source.file && chunkId === source.chunkId)
    if (!isKnown) progress.sources.push(source)
  }
  // One that waits tells them when it ends.
  if (approvals.length === 0) progress.warnings.push(...warnings.map((warning) => `${name}: ${warning}`))
}

/** An approval as the run shows it that has called the member. */
function fromMember(approval: Approval, callId: string, id: string): Approval {
  const { approvalId, path = [] } = approval
  return { ...approval, approvalId: `${callId}/${approvalId}`, path: [id, ...path] }
}

/** A lane that cannot be kept fails nothing: it is a record. What is kept of an ended run must not hold it up. */
async function keepInLane(inside: Inside, { callId }: MemberCall, lane: string, result: RunResult): Promise<void> {
  const { scope, store, progress } = inside
  const { runId, userId, sessionId, signal } = scope
  if (sessionId === undefined || result.messages.length === 0) return
  const { messages, usage, finishReason } = result
  const status = finishReason === 'error' || finishReason === 'aborted' ? 'failed' : 'done'
  const turn = { runId: `${runId}/${callId}/${crypto.randomUUID()}`, messages, status, usage } as const
  try {
    await addToLane(store, laneKey(lane, userId, sessionId), turn, signal)
  } catch (error) {
    if (!signal.aborted) progress.warnings.push(`What "${lane}" did could not be kept: ${messageOf(error)}`)
  }
}
