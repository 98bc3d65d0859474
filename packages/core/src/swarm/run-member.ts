import type { Approval, Decisions } from '../data/approval-data.ts'
import { type AgentKitError, messageOf } from '../data/errors.ts'
import type { Emit } from '../data/event.ts'
import type { JSONValue, Message, UserMessage } from '../data/message.ts'
import { runAgent } from '../loop/run-agent.ts'
import type { AgentSpec, Run } from '../loop/types.ts'
import { startDeadline } from '../policies/deadline.ts'
import { callName as nameOfCall } from '../runs/approval-id.ts'
import { currentRun } from '../runs/current-run.ts'
import { type MemberOutcome, outcomeOf } from '../runs/member-outcome.ts'
import { pendingApprovals } from '../runs/pending-approvals.ts'
import type { RunResult } from '../runs/run.ts'
import type { RunState } from '../runs/run-state.ts'
import type { RunSnapshot, SuspendedMember } from '../runs/snapshot.ts'
import type { OpenTurn } from '../sessions/open-turn.ts'
import { linkSignal } from '../util/abort.ts'
import { appendToMemberSession, memberSessionKey } from './member-sessions.ts'

export type MemberCall = {
  member: AgentSpec
  /** The id of the call in the calling run. */
  callId: string
  signal: AbortSignal
  history: readonly Message[]
  input: UserMessage
  /** Of a suspended member that is resumed. */
  resumed?: { suspended: SuspendedMember; decisions: Decisions }
}

/**
 * Runs a member as a part of the calling run: with the run's events, budget and signal, and a session of its own. It
 * never throws: a failure is an outcome.
 */
export async function runMember(run: Run, call: MemberCall): Promise<MemberOutcome> {
  const running = runTracked(run, call)
  run.scope.members.add(running)
  try {
    return await running
  } finally {
    run.scope.members.delete(running)
  }
}

async function runTracked(run: Run, call: MemberCall): Promise<MemberOutcome> {
  const { scope, state, members } = run
  const { member, callId, signal, history, input, resumed } = call
  const memberPath = `${members.memberPath}/${member.id}`
  const callName = resumed?.suspended.call ?? nameOfCall(state.steps, callId)
  const turn = inMemoryTurn(resumed ? resumed.suspended.history : history)
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
    member: {
      ...{ turn, memberPath, store: members.store, callers: `${scope.member?.callers ?? ''}${callName}/` },
      ...(resumed ? { suspended: resumed.suspended } : {}),
    },
    ...(resumed ? { decisions: resumed.decisions } : {}),
  }).finally(() => {
    deadline.stop()
    unlink()
  })
  const outcome = outcomeOf(result)
  const { status, reason } = outcome
  await scope.emit({ type: 'agent-end', name: member.name, status, ...(reason ? { reason } : {}) }, [member.id])
  mergeInto(state, result, member)
  if (status === 'failed' && result.warnings.length === 0) state.warnings.push(`${member.name} failed: ${reason}`)
  const { suspended } = turn
  if (status === 'waiting' && suspended) {
    const approvals = result.approvals.map((approval) => fromMember(approval, member.id))
    // `suspend` received this snapshot, which is plain JSON.
    const snapshot = suspended.snapshot as unknown as RunSnapshot
    const { messages } = suspended
    return { ...outcome, suspended: { approvals, call: callName, history: turn.history, messages, waiting: snapshot } }
  }
  await storeTurn(run, call, memberPath, result)
  return outcome
}

/** The outermost run alone emits start, end and approval requests; requests only once everything is stored. */
function memberEmit(emit: Emit, id: string): Emit {
  const outermost: readonly string[] = ['run-start', 'run-end', 'approval-request']
  return (event, path = []) => (outermost.includes(event.type) ? undefined : emit(event, [id, ...path]))
}

/** Adds a member's sources and warnings to its swarm's. */
function mergeInto(state: RunState, { sources, warnings, approvals }: RunResult, { name }: AgentSpec): void {
  for (const source of sources) {
    const isKnown = state.sources.some(({ file, chunkId }) => file === source.file && chunkId === source.chunkId)
    if (!isKnown) state.sources.push(source)
  }
  // A suspended member reports its warnings when it ends.
  if (approvals.length === 0) state.warnings.push(...warnings.map((warning) => `${name}: ${warning}`))
}

/** A member's approval as the calling run shows it. */
function fromMember(approval: Approval, id: string): Approval {
  return { ...approval, path: [id, ...(approval.path ?? [])] }
}

/** Stores the member's turn. A failure is only a warning, as the swarm's own session has the answer. */
async function storeTurn(run: Run, { callId }: MemberCall, memberPath: string, result: RunResult): Promise<void> {
  const { scope, state, members } = run
  const { runId, userId, sessionId, signal } = scope
  if (sessionId === undefined || result.messages.length === 0) return
  const { messages, usage, finishReason } = result
  const status = finishReason === 'error' || finishReason === 'aborted' ? 'failed' : 'done'
  const turn = { runId: `${runId}/${callId}/${crypto.randomUUID()}`, messages, status, usage } as const
  try {
    await appendToMemberSession(members.store, memberSessionKey(memberPath, userId, sessionId), turn, signal)
  } catch (error) {
    if (!signal.aborted) state.warnings.push(`The session of "${memberPath}" could not be stored: ${messageOf(error)}`)
  }
}

/** The turn of a member's run. It stores nothing: the swarm's turn does. */
type InMemoryTurn = OpenTurn & {
  /** Set once the member is suspended. */
  readonly suspended: { snapshot: JSONValue; messages: readonly Message[] } | undefined
}

/** @param history the messages before the member's task */
function inMemoryTurn(history: readonly Message[]): InMemoryTurn {
  let state: JSONValue | undefined
  let suspended: InMemoryTurn['suspended']
  return {
    history,
    get state() {
      return state
    },
    get suspended() {
      return suspended
    },
    async append(_messages, newState) {
      if (newState !== undefined) state = newState
    },
    async suspend(snapshot, _usage, messages) {
      suspended = { snapshot, messages: [...messages] }
      return undefined
    },
    // Approvals are decided in the swarm's run, which then starts the member anew.
    resume: async () => ({ hasMoved: false }),
    async end() {},
    release() {},
  }
}
