import {
  AgentKitError,
  abortError,
  assertNever,
  errorOfRun,
  isAgentKitError,
  isInstance,
  messageOf,
} from '../data/errors.ts'
import type { RunFinishReason } from '../data/event.ts'
import { limits } from '../limits.ts'
import { startBudgetClock } from '../policies/deadline.ts'
import { Blocked } from '../policies/hooks.ts'
import { RunLedger } from '../policies/ledger.ts'
import { currentRun } from '../runs/current-run.ts'
import type { RunResult } from '../runs/driver/run.ts'
import {
  emitPartialAnswer,
  endStoppedTurn,
  endTurn,
  keepPartialReply,
  type RunEnd,
  runEndOf,
  toResult,
  type Used,
  usedWith,
  useMembersAnswer,
} from '../runs/end-turn.ts'
import { emptyReply, type Reply } from '../runs/reply.ts'
import { runStartOf } from '../runs/run-start.ts'
import { newRunState } from '../runs/run-state.ts'
import { settledWithin } from '../util/async/abort.ts'
import { redactSecrets } from '../util/text/redact.ts'
import { spentByLeft } from './members/delegates.ts'
import { emitStepEnd, modelStep } from './model-step.ts'
import { openRun, openSession } from './open/open-run.ts'
import { keepEvents } from './open/open-stored.ts'
import { maxStepsReached, plannedStep } from './planned-step.ts'
import { restoredStep } from './restored-step.ts'
import { checkNesting, currentRunOf, endWith, isBusy, isHandedBack, isLeft, RunDelegated } from './run/parent-run.ts'
import { endRunTrace, inTrace, startRunTrace } from './run/spans.ts'
import type { AgentSpec, NewRun, OpenedRun, Run, RunScope, StepOutcome } from './run/types.ts'
import { toolStep } from './tool-step.ts'

/**
 * Runs an agent until it answers or is stopped. Never rejects; emits exactly one `run-end`, and none when it leaves the run
 * to another process.
 */
export async function runAgent(agent: AgentSpec, given: RunScope): Promise<RunResult> {
  // A run that continues has its span once it is open: until then another one may have its session, or it itself.
  let trace = given.continues ? undefined : startRunTrace(agent, given)
  const scope = { ...given, trace }
  if (scope.resumable && !scope.member) scope.kept = keepEvents(scope)
  const { parent, emit } = scope
  const ledger = new RunLedger({ budget: scope.budget, prices: agent.prices, parent: parent?.ledger })
  const isResumed = scope.decisions !== undefined || scope.continues || scope.member?.suspended !== undefined
  const state = newRunState(isResumed ? [] : [scope.input])
  const run: NewRun = { agent, scope, state, ledger }
  const unlink = parent ? endWith(parent, scope.end) : () => {}
  const clock = startBudgetClock(scope.end, ledger)
  const current = currentRunOf(run)
  let opened: OpenedRun | undefined
  let end: RunEnd
  let isContinued = false
  let used: Used = ledger
  // A run that continues has a number for its first event once it is loaded.
  const isStored = !scope.member && isResumed
  const start = ({ sessionId }: RunScope): Promise<void> | undefined => {
    if (scope.memberRun) return emit({ type: 'agent-start', name: scope.memberRun.name })
    return emit(runStartOf(ledger, sessionId))
  }
  let hasStarted = !isStored
  try {
    if (!isStored) await start(scope)
    checkNesting(run)
    opened = await currentRun.run(current, inTrace(trace, openSession), run)
    trace ??= startRunTrace(agent, opened.scope)
    opened.scope.trace = trace
    if (opened.snapshot?.trace !== undefined) trace?.span().link(opened.snapshot.trace)
    if (isStored && opened.beginsSegment !== false) await start(opened.scope)
    hasStarted = true
    // A resumed run has used a part of its time already.
    clock.look()
    const ready = await currentRun.run(current, inTrace(trace, openRun), opened)
    // A shared ledger has the time of the runs around this one by now.
    if (ledger.shared) clock.look()
    end = { finishReason: await currentRun.run(current, inTrace(trace, takeSteps), ready) }
    await membersSettled(scope)
    await endTurn(opened, end)
  } catch (cause) {
    const isDelegated = isInstance(cause, RunDelegated)
    isContinued = isDelegated || isHandedBack(cause, run)
    end = isDelegated ? { finishReason: 'aborted', error: cause.reason } : await toRunEnd(cause, run)
    await membersSettled(scope)
    if (isDelegated) {
      // Another process continues the run: it does not end here.
      if (scope.handover) scope.handover.isDelegated = true
    } else if (opened && (isHandedBack(cause, run) || isLeft(end, opened))) {
      const { turn } = opened
      await turn.handBack?.(!scope.signal.aborted).catch(() => turn.release())
    } else if (opened) {
      used = usedWith(ledger, await spentByLeft(opened))
      await endStoppedTurn({ ...opened, ledger: used }, end)
    } else {
      // A run that could not begin stores nothing.
      state.messages = []
      if (!hasStarted) void start(scope)
      void emit(runEndOf(run, end))
    }
  }
  // It bounds a store that does not answer, too.
  clock.stop()
  unlink()
  const result = toResult(scope.runId, state, used, end)
  if (given.continues && !opened && !isBusy(end)) trace = startRunTrace(agent, given)
  const spanEnd = { sessionId: opened?.scope.sessionId, output: state.reply.message }
  if (trace) endRunTrace(trace, result, spanEnd, isContinued)
  return result
}

/** Members that are still running emit events until they have ended. */
async function membersSettled({ members }: RunScope): Promise<void> {
  if (members.size > 0) await settledWithin(limits.endFailedMs, Promise.allSettled(members))
}

/** The loop: takes one step after the other until the run ends. */
async function takeSteps(run: Run, outer: readonly AgentSpec[] = []): Promise<RunFinishReason> {
  const { agent, scope, state } = run
  if (agent.drive) return agent.drive(run, takeSteps, outer)
  for (let restored = await restoredStep(run); ; restored = undefined) {
    // Tools that never yield keep timers from firing.
    scope.checkTime()
    scope.signal.throwIfAborted()
    if (scope.handover?.isRequested && run.turn.handBack) throw scope.handover.reason
    const outcome = await takeStep(run, restored)
    switch (outcome.type) {
      case 'tool-calls':
      case 'try-again':
        break
      case 'answer':
        return finishReasonOf(outcome.reply, state.warnings)
      case 'suspended':
        return 'approval'
      case 'handed-over':
        return 'stop'
      case 'stopped':
        state.warnings.push(outcome.why)
        await emitPartialAnswer(state, scope.emit)
        return outcome.reason
      default:
        return assertNever(outcome)
    }
  }
}

type Restored = Awaited<ReturnType<typeof restoredStep>>

/** One step: a reply of the model or calls of a plan, and the results of the tools that it calls. */
async function takeStep(run: Run, restored: Restored): Promise<StepOutcome> {
  const { agent, scope, state, guard, members } = run
  let outcome: StepOutcome | undefined = restored
  if (!outcome && agent.plan) outcome = await plannedStep(run)
  outcome ??= await modelStep(run)
  const endStep = async (reply: Reply): Promise<void> => {
    const isEmitted = restored && scope.interrupted?.stepEnd === state.steps
    if (!reply.planned && !isEmitted) await emitStepEnd(run, reply)
  }
  if (outcome.type === 'tool-calls') {
    const { reply } = outcome
    outcome = await toolStep(run, reply, restored && scope.decisions).catch(async (error) => {
      // The answer is paid for, though the budget has no room for its calls.
      if (isAgentKitError(error) && error.code === 'budget' && !scope.signal.aborted) await endStep(reply)
      throw error
    })
  }
  if (!('reply' in outcome)) return outcome
  await endStep(outcome.reply)
  if (members.handedTo !== undefined) return { type: 'handed-over' }
  const why = guard.stalled()
  if (why !== undefined) return { type: 'stopped', reason: 'no-progress', why }
  if (outcome.type === 'answer' || state.steps - run.stepsBefore < agent.maxSteps) return outcome
  return maxStepsReached(agent)
}

/** Some providers report "stop" with tool calls, or "tool-calls" without any: the calls decide, not the reason. */
function finishReasonOf({ reason, lowered }: Reply, warnings: string[]): RunFinishReason {
  if (reason === 'length' && lowered) {
    warnings.push('The budget left no room for a longer answer.')
    return 'budget'
  }
  return reason === 'tool-calls' ? 'stop' : reason
}

/** A hook or the budget ends a run with an answer, everything else with an error. */
async function toRunEnd(cause: unknown, run: NewRun): Promise<RunEnd> {
  const { scope, state } = run
  if (cause instanceof Blocked && !scope.signal.aborted) {
    state.reply = { ...emptyReply(), text: cause.message }
    if (state.messages.length > 0) keepPartialReply(state)
    await scope.emit({ type: 'text-delta', text: cause.message })
    return { finishReason: 'content-filter' }
  }
  const error = toRunError(cause, run)
  if (error.code === 'budget') {
    keepPartialReply(state)
    await emitPartialAnswer(state, scope.emit)
    state.warnings.push(error.message)
    return { finishReason: 'budget' }
  }
  useMembersAnswer(state)
  return { finishReason: error.code === 'aborted' ? 'aborted' : 'error', error }
}

function toRunError(cause: unknown, { scope: { signal, runId }, ledger }: NewRun): AgentKitError {
  const { usage } = ledger.spent
  const error = signal.aborted ? abortError(signal) : cause
  if (isAgentKitError(error)) return errorOfRun(error, { runId, usage })
  // Errors of models, tools and hooks are AgentKitErrors already: only the session store throws others.
  const message = `The session store failed: ${redactSecrets(messageOf(error))}`
  return new AgentKitError('storage', message, { cause, runId, usage })
}
