import { AgentKitError, abortError, isAgentKitError, isInstance } from '../data/errors.ts'
import type { RunFinishReason } from '../data/event.ts'
import type { Message } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { checkAccepted } from '../loop/open/open-run.ts'
import { prepareRun } from '../loop/open/prepare-run.ts'
import { workflowCall } from '../loop/run/interrupted-step.ts'
import { RunDelegated } from '../loop/run/parent-run.ts'
import { inTrace, startRunTrace } from '../loop/run/spans.ts'
import type { AgentSpec, OpenedRun, Run, RunScope, TakeSteps } from '../loop/run/types.ts'
import { startBudgetClock, startDeadline } from '../policies/deadline.ts'
import { type Ledger, RunLedger } from '../policies/ledger.ts'
import { createLoopDetector } from '../policies/loop-detection.ts'
import { askWithin } from '../runs/ask-within.ts'
import { type CurrentRun, currentRun } from '../runs/current-run.ts'
import { type MemberStatus, memberStatus } from '../runs/member-outcome.ts'
import type { RunState } from '../runs/run-state.ts'
import { sessionState } from '../sessions/open-turn.ts'
import { untilAborted } from '../util/async/abort.ts'
import { hasNameOf, isTransfer, withTransfers } from './transfer-tool.ts'

/** The agents that share a conversation. */
export type Handoffs = {
  members: ReadonlyMap<string, AgentSpec>
  /** The id of the member that starts. */
  first: string
}

/**
 * Runs one conversation that the members of a swarm hand over to each other, until one of them answers.
 *
 * @param takeSteps runs the active member until it answers or hands over
 * @param outer agents around the swarm, which every member may hand over to as well
 */
export async function runHandoffs(
  opened: Run,
  { members, first }: Handoffs,
  takeSteps: TakeSteps,
  outer: readonly AgentSpec[],
): Promise<RunFinishReason> {
  const { agent, state } = opened
  const guard = createLoopDetector(agent.guard)
  let { snapshot } = opened
  let active = snapshot?.active?.[opened.path.length] ?? storedActive(opened) ?? first
  if (!members.has(active)) active = first

  const at = opened.path.join('/')
  if (!snapshot) state.handoffs.delete(at)
  for (let handoffs = (state.handoffs.get(at) ?? 0) + 1; ; handoffs++) {
    const member = members.get(active) as AgentSpec // checked by `has` above
    const start = state.messages.length
    // Of two with one name, the nearer one gets the conversation.
    const further = outer.filter((other) => ![...members.values()].some((near) => hasNameOf(near, other)))
    const others = [...members.values(), ...further].filter((other) => other !== member)
    const { reason, to } = await runActive(opened, { member, others, snapshot }, takeSteps)
    snapshot = undefined
    if (to === undefined) {
      // A member with a plan cannot hand over, so the next run starts with the first one. A suspended run is stored already.
      if (reason !== 'approval') await storeActive(opened, member.plan ? first : active)
      return reason
    }
    if (!members.has(to)) {
      opened.members.handedTo = to
      return 'stop'
    }
    guard.beginStep(1)
    const { calls, results } = workIn(state.messages.slice(start))
    guard.addResult({ name: `${active} → ${to}`, input: calls }, { content: results, isError: false })
    if (guard.stalled() !== undefined) return stopped(opened, 'no-progress', handoffLoop(active, to))
    if (handoffs >= agent.maxSteps) return stopped(opened, 'max-steps', tooManyHandoffs(agent))
    active = to
    // Each member is asked again for an answer of its own that does not have the form.
    state.invalidOutputs = 0
    state.handoffs.set(at, handoffs)
    await storeActive(opened, active)
  }
}

type Active = { member: AgentSpec; others: readonly AgentSpec[]; snapshot: Run['snapshot'] }

/** Runs the active member until it answers or hands over. */
async function runActive(
  opened: Run,
  { member, others, snapshot }: Active,
  takeSteps: TakeSteps,
): Promise<{ reason: RunFinishReason; to: string | undefined }> {
  const { agent, scope, turn, state, members } = opened
  const emit: RunScope['emit'] = (event, path = []) => scope.emit(event, [member.id, ...path])
  const path = [...opened.path, member.id]
  const warningsBefore = state.warnings.length
  const account = memberLedger(member, opened.ledger, state, path.join('/'))
  const deadline = startDeadline(scope.end, member.timeoutMs)
  const trace = scope.trace && startRunTrace(member, scope, scope.trace)
  const active = { name: member.name, around: scope, isWaiting: false, warningsBefore }
  const session: OpenedRun = {
    agent: withTransfers(member, others, agent),
    scope: { ...scope, emit, active, ...askWithin(scope, member.id, deadline), ...(trace && { trace }) },
    turn,
    state,
    ledger: account.ledger,
    // The current compaction: other runs may have added to the session while this one was suspended.
    snapshot: snapshot && { ...snapshot, compaction: opened.conversation.compaction() },
    hasMoved: false,
    delegates: opened.delegates,
    place: { path, memberPath: `${members.memberPath}/${member.id}`, store: members.store },
  }
  const clock = startBudgetClock(scope.end, account.ledger)
  // A run that another process has left has started already.
  const { interrupted } = scope
  const isActive = interrupted !== undefined && snapshot?.active?.[opened.path.length] === member.id
  const hasStarted = interrupted?.started.delete(path.join('/')) || isActive
  if (!hasStarted) await emit({ type: 'agent-start', name: member.name })
  let isLeft = false
  let end: MemberEnd = { status: 'failed' }
  let error: unknown
  try {
    // Runs that the member starts are charged to its budget too.
    const current = { ...(currentRun.getStore() as CurrentRun), ledger: account.ledger } // set by every run
    const work = async (): Promise<{ reason: RunFinishReason; to: string | undefined }> => {
      checkAccepted(member, [...turn.history, ...state.messages])
      const run = await prepareRun(session)
      if (member.cannotContinue) await beginWorkflow(run)
      const reason = await takeSteps(run, others)
      // A run that is suspended hands the conversation over once it is resumed.
      const to = reason === 'approval' ? undefined : run.members.handedTo
      end = to === undefined ? memberStatus(reason, state.reply.text) : { status: 'done' }
      if (to !== undefined) await emit({ type: 'handoff', to })
      return { reason, to }
    }
    return await currentRun.run(current, inTrace(trace, work))
  } catch (cause) {
    error = cause
    isLeft = isInstance(error, RunDelegated)
    end = endOf(error, scope.signal)
    throw error
  } finally {
    trace?.end(isLeft ? { finishReason: 'continued' } : { finishReason: end.status, error })
    account.close()
    clock.stop()
    deadline.stop()
    const own = state.warnings.splice(warningsBefore).map((warning) => `${member.name}: ${warning}`)
    active.warningsBefore = Number.POSITIVE_INFINITY
    // A member that is active again repeats its warnings.
    state.warnings.push(...own.filter((warning) => !state.warnings.includes(warning)))
    const hasEnded = hasStarted && interrupted?.ended.delete(path.join('/'))
    if (!isLeft && !hasEnded && !active.isWaiting) await emit({ type: 'agent-end', name: member.name, ...end })
  }
}

/**
 * Stores that a workflow begins, whose steps are not stored.
 * @throws AgentKitError `crashed` where it had begun before: its steps would have their effects a second time
 */
async function beginWorkflow({ agent, scope, turn }: Run): Promise<void> {
  if (scope.isWorkflowLost) {
    const why = `The process of the run ended within "${agent.name}", and a workflow cannot be continued.`
    throw new AgentKitError('crashed', `${why} \`retry\` runs it from its first step.`)
  }
  const stored = turn.begin?.([{ callId: workflowCall, name: agent.id }]) ?? Promise.resolve()
  await untilAborted(scope.signal, stored)
}

type MemberEnd = { status: MemberStatus; reason?: string }

function stopped({ state }: Run, reason: RunFinishReason, why: string): RunFinishReason {
  state.warnings.push(why)
  return reason
}

function handoffLoop(one: string, other: string): string {
  return `"${one}" and "${other}" handed the conversation to each other again and again, and did nothing else.`
}

function tooManyHandoffs({ maxSteps }: AgentSpec): string {
  return `The conversation was handed over ${maxSteps} times. Raise the swarm's \`maxSteps\` if it needs more.`
}

/** The calls and results of a turn, without handoffs and without text, which varies between equal turns. */
function workIn(messages: readonly Message[]): { calls: unknown; results: string } {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? toolCalls(message) : []))
  const results = messages.filter((message) => message.role === 'tool')
  return {
    calls: calls.filter((call) => !isTransfer(call)).map(({ name, input }) => [name, input]),
    results: JSON.stringify(results.filter((result) => !isTransfer(result)).map(({ content }) => content)),
  }
}

function endOf(error: unknown, signal: AbortSignal): MemberEnd {
  const cause = signal.aborted ? abortError(signal) : error
  const reason = isAgentKitError(cause) ? cause.message : 'It failed.'
  const code = isAgentKitError(cause) ? cause.code : ''
  return { status: code === 'aborted' || code === 'budget' ? code : 'failed', reason }
}

/** The member that was active when the last run ended. */
function storedActive({ turn, members }: Run): string | undefined {
  const { active } = sessionState(turn)
  if (typeof active !== 'object' || active === null || Array.isArray(active)) return undefined
  const known = active[members.memberPath]
  return typeof known === 'string' ? known : undefined
}

async function storeActive({ turn, members, scope }: Run, active: string): Promise<void> {
  const state = sessionState(turn)
  const known = typeof state.active === 'object' && !Array.isArray(state.active) ? state.active : {}
  await untilAborted(scope.signal, turn.append([], { ...state, active: { ...known, [members.memberPath]: active } }))
}

/**
 * A member with a budget has a ledger of its own within the run's. It is shared by all turns of the member in this run.
 * Pausing it pauses the run's ledger too.
 */
function memberLedger(
  { budget, prices }: AgentSpec,
  run: Ledger,
  { accounts }: RunState,
  at: string,
): { ledger: Ledger; close(): void } {
  const own = new RunLedger({ budget, prices, parent: run })
  own.resume(accounts.get(at))
  const ledger: Ledger = {
    ...{ prices: own.prices, accounts: own.accounts, shared: own.shared, spent: run.spent },
    cost: () => run.cost(),
    reserve: (model, request) => own.reserve(model, request),
    freed: (model, request) => own.freed(model, request),
    beginToolCalls: (count) => own.beginToolCalls(count),
    msLeft: () => own.msLeft(),
    isPaused: () => own.isPaused(),
    hold: () => own.hold(),
    collect: (spent) => own.collect(spent),
    snapshot() {
      accounts.set(at, own.snapshot())
      return run.snapshot()
    },
    pause() {
      accounts.set(at, own.pause())
      return run.pause()
    },
    resume(spent) {
      own.resume()
      run.resume(spent)
    },
  }
  const close = (): void => {
    accounts.set(at, own.pause())
  }
  return { ledger, close }
}
