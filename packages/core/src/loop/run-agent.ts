import { AgentKitError, abortError, errorOfRun, isAgentKitError, messageOf, toErrorInfo } from '../data/errors.ts'
import type { RunFinishReason } from '../data/event.ts'
import { limits } from '../limits.ts'
import { startBudgetClock } from '../policies/deadline.ts'
import { Blocked } from '../policies/hooks.ts'
import { createLedger, type Ledger } from '../policies/ledger.ts'
import { type CurrentRun, currentRun } from '../runs/current-run.ts'
import { endStoppedTurn, endTurn } from '../runs/end-turn.ts'
import { emptyReply, textOf } from '../runs/reply.ts'
import type { RunResult } from '../runs/run.ts'
import { newProgress, type Progress, type RunEnd, toResult } from '../runs/run-state.ts'
import { waitingCalls } from '../runs/snapshot.ts'
import type { OpenTurn } from '../sessions/open-turn.ts'
import { keyText } from '../sessions/session-queue.ts'
import { plainOf } from '../tools/tool-result.ts'
import { settledWithin } from '../util/abort.ts'
import { redactSecrets } from '../util/redact.ts'
import { askStep, type Step } from './model-step.ts'
import { openRun, openSession } from './open-run.ts'
import { plannedStep } from './planned-step.ts'
import { answerCalls } from './tool-step.ts'
import type { AgentSpec, Run, RunScope } from './types.ts'

/** Runs an agent until it answers, or must end. Never rejects, and ends in one `run-end`. */
export function runAgent(agent: AgentSpec, scope: RunScope): Promise<RunResult> {
  const { budget, parent, signal, end } = scope
  const ledger = createLedger({ budget, prices: agent.prices, parent: parent?.ledger })
  const leave = parent ? endWith(parent, end) : () => {}
  // What its tools and hooks start belongs to this run.
  const current: CurrentRun = {
    ledger,
    signal,
    depth: parent ? parent.depth + 1 : 0,
    holds: [...(parent?.holds ?? []), ...heldBy(agent, scope)],
    ...(parent?.isInModelCall ? { isInModelCall: true } : {}),
  }
  return currentRun.run(current, () => runWithin(ledger, agent, scope)).finally(leave)
}

function heldBy({ id: agentId }: AgentSpec, { userId, sessionId, member }: RunScope): string[] {
  return sessionId === undefined || member ? [] : [keyText({ agentId, userId, sessionId })]
}

/** A run that another one has started ends with it; the returned function calls that off. */
function endWith({ signal }: CurrentRun, end: RunScope['end']): () => void {
  const stop = (): void => end(abortError(signal))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  return () => signal.removeEventListener('abort', stop)
}

async function runWithin(ledger: Ledger, agent: AgentSpec, scope: RunScope): Promise<RunResult> {
  const { emit, signal } = scope
  const goesOn = scope.decisions !== undefined || scope.member?.parked !== undefined
  const progress = newProgress(goesOn ? [] : [scope.input])
  const clock = startBudgetClock(scope.end, ledger)
  let turn: OpenTurn | undefined
  let end: RunEnd
  try {
    const { sessionId, parent } = scope
    await emit({ type: 'run-start', ...(sessionId === undefined ? {} : { sessionId }) })
    if (parent && parent.depth >= limits.nestedRuns) throw tooDeep(agent)
    if (heldBy(agent, scope).some((key) => parent?.holds.includes(key))) throw waitsForItself()
    const opened = await openSession(agent, scope, progress, ledger)
    turn = opened.turn
    // A run that goes on has used some of its time before.
    clock.look()
    end = { finishReason: await runToEnd(await openRun(agent, opened, progress, ledger)) }
    await endTurn(turn, progress, ledger, end, signal)
  } catch (cause) {
    end = await toRunEnd(cause, scope, progress, ledger)
    // Nothing is stored of a run that could not begin.
    if (turn) await endStoppedTurn(turn, progress, ledger, end, signal)
    else progress.messages = []
  }
  clock.stop()
  // They end with this run, and are heard until they have.
  if (scope.members.size > 0) await settledWithin(limits.endFailedMs, Promise.allSettled(scope.members))
  const result = toResult(scope.runId, progress, ledger, end)
  const { text, output, usage, cost, finishReason, error } = result
  const told = {
    finishReason,
    text,
    ...(output === undefined ? {} : { output: plainOf(output) }),
    usage,
    ...(cost ? { cost } : {}),
  }
  // Its reader may be gone: the end is not waited for.
  void emit({ type: 'run-end', ...told, ...(error ? { error: toErrorInfo(error) } : {}) })
  return result
}

/** Runs an agent's steps, or the members that hand its conversation to each other. */
function runToEnd(run: Run, outer: readonly AgentSpec[] = []): Promise<RunFinishReason> {
  return run.agent.drive?.(run, runToEnd, outer) ?? takeSteps(run)
}

/** The loop: ask the model, run the tools it calls, until it answers or has handed the conversation on. */
async function takeSteps(run: Run): Promise<RunFinishReason> {
  const { agent, scope, progress, guard, inside } = run
  let decisions = run.waiting && scope.decisions
  let planned = 0
  for (let step = waitingStep(run); ; step = undefined) {
    // A tool that never waits keeps the timers from their turn.
    scope.checkTime()
    scope.signal.throwIfAborted()
    const plan = step || !agent.plan ? undefined : await plannedStep(run, planned < agent.maxSteps)
    if (plan === 'too many') return stoppedPlan(run)
    if (plan) planned++
    const { reply, again } = step ?? (plan ? { reply: plan, again: false } : await askStep(run))
    if (!again && !(await answerCalls(run, reply, decisions))) return 'approval'
    decisions = undefined
    if (!reply.planned) {
      const { reason: finishReason, usage, message } = reply
      const model = message.model ?? run.asker.model.id
      await scope.emit({ type: 'step-end', step: progress.steps, model, finishReason, usage })
    }
    if (inside.handedTo !== undefined) return 'stop'
    if (guard.stalled !== undefined) return stopped(progress, 'no-progress', guard.stalled)
    // Some providers say "stop" and still call tools: whether there are calls decides, not the reason.
    if (reply.calls.length === 0 && !again) return reasonOf(reply, progress)
    if (progress.steps - run.stepsBefore >= agent.maxSteps) return stopped(progress, 'max-steps', mostSteps(agent))
  }
}

/** The step at which a run that goes on had stopped. */
function waitingStep({ waiting, progress }: Run): Step | undefined {
  const message = progress.messages.findLast(({ role }) => role === 'assistant')
  if (!waiting || message?.role !== 'assistant') return undefined
  const { reason, usage, planned } = waiting
  const calls = waitingCalls(progress.messages)
  const said = { text: textOf(message), calls, reason, usage, message }
  progress.reply = { ...emptyReply(), ...said, ...(planned ? { planned } : {}) }
  return { reply: progress.reply, again: false }
}

function reasonOf({ reason, lowered }: Step['reply'], progress: Progress): RunFinishReason {
  if (reason === 'length' && lowered) return stopped(progress, 'budget', 'The budget left no room for a longer answer.')
  return reason === 'tool-calls' ? 'stop' : reason
}

/** An agent that asks itself, or two that ask each other, would go on without an end. */
function tooDeep({ id }: AgentSpec): AgentKitError {
  const message = `The agent "${id}" is asked within ${limits.nestedRuns} runs that ask each other. Break the circle.`
  return new AgentKitError('max-steps', message)
}

function waitsForItself(): AgentKitError {
  const message = 'The run that asks holds this session itself. Ask without `sessionId`, or in another session.'
  return new AgentKitError('session-busy', message)
}

function mostSteps({ maxSteps }: AgentSpec): string {
  return `The run took its ${maxSteps} steps. Raise \`maxSteps\` if it needs more.`
}

/** A plan that would go on is stopped: what members have answered so far is its answer. */
async function stoppedPlan({ agent, scope, progress }: Run): Promise<RunFinishReason> {
  await tellSoFar(progress, scope.emit)
  return stopped(progress, 'max-steps', mostSteps(agent))
}

/** Where nothing was said, what members have answered is the answer. */
async function tellSoFar(progress: Progress, emit: RunScope['emit']): Promise<void> {
  const { reply, soFar = '' } = progress
  if (reply.text.trim() !== '' || soFar === '') return
  progress.reply = { ...emptyReply(), text: soFar }
  keepSaid(progress)
  await emit({ type: 'text-delta', text: soFar })
}

function stopped(progress: Progress, reason: RunFinishReason, why: string): RunFinishReason {
  progress.warnings.push(why)
  return reason
}

/** What a run that was stopped ends in: by its budget or a hook as it should, otherwise in an error. */
async function toRunEnd(cause: unknown, scope: RunScope, progress: Progress, ledger: Ledger): Promise<RunEnd> {
  if (cause instanceof Blocked && !scope.signal.aborted) {
    progress.reply = { ...emptyReply(), text: cause.message }
    keepSaid(progress)
    await scope.emit({ type: 'text-delta', text: cause.message })
    return { finishReason: 'content-filter' }
  }
  const error = toRunError(cause, scope, ledger)
  if (error.code === 'budget') {
    keepSaid(progress)
    await tellSoFar(progress, scope.emit)
    return { finishReason: stopped(progress, 'budget', error.message) }
  }
  const { reply, soFar = '' } = progress
  // What members have answered was paid for.
  if (reply.text.trim() === '' && soFar !== '') progress.reply = { ...emptyReply(), text: soFar }
  return { finishReason: error.code === 'aborted' ? 'aborted' : 'error', error }
}

/** What the model had said when it was cut short is its answer, as far as it goes; otherwise what it said last. */
function keepSaid(progress: Progress): void {
  const { reply, messages } = progress
  if (reply.text.trim() === '') {
    const last = messages.findLast((message) => message.role === 'assistant' && textOf(message).trim() !== '')
    if (last?.role === 'assistant') progress.reply = { ...emptyReply(), text: textOf(last), message: last }
    return
  }
  if (messages.includes(reply.message)) return
  messages.push({ v: 1, role: 'assistant', content: [{ type: 'text', text: reply.text }] })
}

function toRunError(cause: unknown, { signal, runId }: RunScope, { spent: { usage } }: Ledger): AgentKitError {
  const error = signal.aborted ? abortError(signal) : cause
  if (isAgentKitError(error)) return errorOfRun(error, { runId, usage })
  // Models, tools and hooks have been answered for: what is left to throw something else is the session store.
  const message = `The session store failed: ${redactSecrets(messageOf(error))}`
  return new AgentKitError('storage', message, { cause, runId, usage })
}
