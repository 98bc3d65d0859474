import type { Approval, Decisions } from '../data/approval-data.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { Emit } from '../data/event.ts'
import type { JSONValue, Message, UserMessage } from '../data/message.ts'
import type { AgentSpec, Run } from '../loop/run/types.ts'
import { runAgent } from '../loop/run-agent.ts'
import { startDeadline } from '../policies/deadline.ts'
import { askWithin } from '../runs/ask-within.ts'
import { currentRun } from '../runs/current-run.ts'
import { callName as nameOfCall } from '../runs/decisions/approval-id.ts'
import { PendingApprovals } from '../runs/decisions/pending-approvals.ts'
import { agentEndOf, type MemberOutcome, mergeMember, outcomeOf } from '../runs/member-outcome.ts'
import type { MemberInMemory, RunSnapshot } from '../runs/snapshot.ts'
import type { Changing, OpenTurn } from '../sessions/turn.ts'
import { linkSignal } from '../util/async/abort.ts'
import { storeMemberTurn } from './member-sessions.ts'
import { keepStoppedMember } from './stopped-member.ts'

export type MemberCall = {
  member: AgentSpec
  /** The id of the call in the calling run. */
  callId: string
  signal: AbortSignal
  history: readonly Message[]
  input: UserMessage
  /** Of a suspended member that is resumed. */
  resumed?: { suspended: MemberInMemory; decisions: Decisions }
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
  const turn = inMemoryTurn(resumed ? resumed.suspended.history : history, run.turn)
  const stopped: string[] = []
  const controller = new AbortController()
  const end = (reason: AgentKitError): void => controller.abort(reason)
  const unlink = linkSignal(controller, signal)
  const deadline = startDeadline(end, member.timeoutMs)
  await scope.emit({ type: 'agent-start', name: member.name }, [member.id])
  const result = await runAgent(member, {
    ...{ runId: scope.runId, userId: scope.userId, sessionId: scope.sessionId, input, history: [] },
    ...{ budget: member.budget, parent: currentRun.getStore(), signal: controller.signal, end },
    emit: memberEmit(scope.emit, member.id),
    isFollowed: scope.isFollowed,
    checkTime: deadline.check,
    approvals: new PendingApprovals(scope.runId),
    ...askWithin(scope, member.id, deadline),
    members: new Set(),
    member: {
      ...{ turn, memberPath, store: members.store, callers: `${scope.member?.callers ?? ''}${callName}/` },
      ...{ swarm: scope.member?.swarm ?? run, stopped },
      ...(resumed ? { suspended: resumed.suspended } : {}),
    },
    ...(resumed ? { decisions: resumed.decisions } : {}),
  }).finally(() => {
    deadline.stop()
    unlink()
  })
  const outcome = outcomeOf(result)
  const { status } = outcome
  // The run of a workflow ends with it: no decision continues it.
  const shown = status === 'waiting' && run.agent.cannotContinue ? neverContinued : outcome
  await scope.emit(agentEndOf(member.name, shown), [member.id])
  // A suspended member reports its warnings when it ends.
  const { sources, approvals } = result
  mergeMember(state, { sources, warnings: approvals.length === 0 ? result.warnings : [] }, member.name, outcome)
  const { suspended } = turn
  if (status === 'waiting' && suspended) {
    const approvals = result.approvals.map((approval) => fromMember(approval, member.id))
    // `suspend` received this snapshot, which is plain JSON.
    const snapshot = suspended.snapshot as unknown as RunSnapshot
    const { messages } = suspended
    return { ...outcome, suspended: { approvals, call: callName, history: turn.history, messages, waiting: snapshot } }
  }
  const { messages, usage, finishReason } = result
  const ended = finishReason === 'error' || finishReason === 'aborted' ? 'failed' : 'done'
  const runId = `${scope.runId}/${callId}/${crypto.randomUUID()}`
  const ownTurn = { runId, messages, status: ended, usage } as const
  if (scope.signal.aborted) await keepStoppedMember(run, { member, callId, memberPath, stopped }, outcome, ownTurn)
  else await storeMemberTurn(run, memberPath, ownTurn)
  return outcome
}

const neverContinued = { status: 'failed', reason: 'It waits for approval, and a workflow cannot be resumed.' } as const

/** The outermost run alone emits start, end and approval requests; requests only once everything is stored. */
function memberEmit(emit: Emit, id: string): Emit {
  const outermost: readonly string[] = ['run-start', 'run-end', 'approval-request']
  return (event, path = []) => (outermost.includes(event.type) ? undefined : emit(event, [id, ...path]))
}

/** A member's approval as the calling run shows it. */
function fromMember(approval: Approval, id: string): Approval {
  return { ...approval, path: [id, ...(approval.path ?? [])] }
}

/** The turn of a member's run. It stores nothing: the swarm's turn does. */
type InMemoryTurn = OpenTurn & {
  /** Set once the member is suspended. */
  readonly suspended: { snapshot: JSONValue; messages: readonly Message[] } | undefined
}

/**
 * @param history the messages before the member's task
 * @param outer of the swarm
 */
function inMemoryTurn(history: readonly Message[], outer: OpenTurn): InMemoryTurn {
  const turn: Changing<InMemoryTurn> = {
    history,
    state: undefined,
    suspended: undefined,
    ...(outer.confirm && { confirm: () => outer.confirm?.() }),
    append(_messages, newState) {
      if (newState !== undefined) turn.state = newState
      return undefined
    },
    async suspend(snapshot, _usage, messages) {
      turn.suspended = { snapshot, messages: [...messages] }
      return undefined
    },
    // Approvals are decided in the swarm's run, which then starts the member again.
    resume: async () => ({ hasMoved: false }),
    async end() {},
    release() {},
  }
  return turn
}
