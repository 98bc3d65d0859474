import type { RunEnding } from '../contracts/run-entry.ts'
import { noteTrace } from '../contracts/tracer.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { AgentEventBody, Emit, RunFinishReason } from '../data/event.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { TurnStatus } from '../data/session-data.ts'
import { stoppedNote, visibleMessages } from '../data/transcript.ts'
import { costOfSpent } from '../data/usage.ts'
import { limits } from '../limits.ts'
import type { Spent } from '../policies/account.ts'
import { addSpent } from '../policies/account.ts'
import type { Ledger } from '../policies/ledger.ts'
import { plainOf } from '../tools/tool-result.ts'
import { settledWithin, untilAborted } from '../util/async/abort.ts'
import { redactedInfo } from '../util/text/redact.ts'
import type { RunResult } from './driver/run.ts'
import { agentEndOf, outcomeOf } from './member-outcome.ts'
import { emptyReply, textOf } from './reply.ts'
import type { RunState } from './run-state.ts'
import type { OpenRun } from './take-snapshot.ts'

/** What a run has used, for its end. */
export type Used = Pick<Ledger, 'spent' | 'cost'>
type EndedRun = Pick<OpenRun, 'turn' | 'state' | 'scope'> & { ledger: Used }
/** `stored` is a run that continues, as it was before. */
type StoppedRun = EndedRun & { stored?: { isBackground?: boolean } }

/**
 * Ends the turn of a run that has finished, emits `run-end`, and releases the session.
 * @throws what the store throws: the run then fails with it
 */
export async function endTurn(run: EndedRun, end: RunEnd): Promise<void> {
  const { turn, state, ledger, scope } = run
  const { signal, emit, events } = scope
  const status = turnStatus(state, end)
  if (!status) {
    // The end of a member's segment was stored when the member was suspended.
    if (!scope.memberRun) void emit(runEndOf(run, end))
    return turn.flush?.()
  }
  signal.throwIfAborted()
  // Stored before a reader receives it.
  const held = events?.hold()
  void emit(runEndOf(run, end))
  const ending = { ...endingOf(state, ledger, end), messages: unstoredAnswer(state), events: held?.events ?? [] }
  const ended = turn.end(status, ledger.spent.usage, ending)
  try {
    await untilAborted(signal, ended)
  } catch (error) {
    if (!(await isStored(signal, ended))) {
      held?.drop()
      throw error
    }
  }
  held?.release()
  turn.release()
}

/**
 * Whether the end of a run that was stopped meanwhile is stored: it is that of its result then. Half of the time that a
 * stopped run has, as ending it in another way takes time too.
 */
async function isStored(signal: AbortSignal, ended: Promise<void>): Promise<boolean> {
  let isEnded = false
  const noted = ended.then(() => {
    isEnded = true
  })
  if (signal.aborted) await settledWithin(limits.endFailedMs / 2, noted)
  else noted.catch(() => {})
  return isEnded
}

/**
 * Ends the turn of a run that was stopped, and emits `run-end`. The run has its reason already, so errors of the store
 * change nothing: a turn that cannot be ended now is ended before the session's next run. After an abort, or where the
 * store has failed, it waits only briefly, but longer for a run that a worker or a server continues: they count it
 * as failed once that is stored.
 */
export async function endStoppedTurn(run: StoppedRun, end: RunEnd): Promise<void> {
  const { turn, state, ledger, scope } = run
  const { signal, emit, events } = scope
  const status = turnStatus(state, end)
  if (!status) {
    // The end of a member's segment was stored when the member was suspended.
    if (!scope.memberRun) void emit(runEndOf(run, end))
    return settledWithin(limits.endFailedMs, Promise.resolve(turn.flush?.()))
  }
  const { error } = end
  // After finished calls, a note explains to the model why the turn ended, so that it does not repeat them.
  const note = error && state.finished.length > 0 ? [stoppedNote(error.code)] : []
  const messages: Message[] = error ? note : unstoredAnswer(state)
  const held = events?.hold()
  void emit(runEndOf(run, end))
  const stored = { ...endingOf(state, ledger, end), messages, events: held?.events ?? [] }
  const ending = turn
    .end(status, ledger.spent.usage, stored)
    .catch(() => {})
    .finally(() => turn.release())
  const afterStop = (): Promise<void> => {
    return settledWithin(isAwaited(run) ? limits.endErrorMs : limits.endFailedMs, ending)
  }
  if ((error && isAwaited(run)) || signal.aborted || error?.code === 'storage') await afterStop()
  // The end of a run without an error may be stored for as long as the run has time.
  else await untilAborted(signal, error ? settledWithin(limits.endErrorMs, ending) : ending).catch(afterStop)
  held?.release()
}

/**
 * Whether the store gets more time: for a run that a worker or a server continues, unless its caller has aborted it. A
 * background run has no caller.
 */
function isAwaited({ stored, scope: { signal } }: StoppedRun): boolean {
  return stored !== undefined && (stored.isBackground === true || !signal.aborted)
}

/** The answer of a run that was stopped, interrupted or that of its members: only the end of the turn stores it. */
function unstoredAnswer({ messages, reply }: RunState): Message[] {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last !== reply.message ? [last] : []
}

/**
 * The last event of a run; that of a member's run is a part of another run's events.
 * @param uncollected the usage of members whose runs wait: it is added to the run when they have ended
 */
export function runEndOf(
  { state, ledger, scope }: Omit<EndedRun, 'turn'>,
  end: RunEnd,
  uncollected: readonly Spent[] = [],
): AgentEventBody {
  const { memberRun } = scope
  if (memberRun) return agentEndOf(memberRun.name, outcomeOf(toResult(scope.runId, state, ledger, end)))
  const { text, output, warnings, finishReason, error } = toResult(scope.runId, state, ledger, end)
  const { spent, cost: costOf } = usedWith(ledger, uncollected)
  const { usage } = spent
  const cost = costOf()
  const plainOutput = output === undefined ? {} : { output: plainOf(output) }
  const warned = warnings.length > 0 ? { warnings: [...warnings] } : {}
  const answer = { finishReason, text, ...plainOutput, usage, ...(cost ? { cost } : {}), ...warned }
  if (!error) return { type: 'run-end', ...answer }
  const info = redactedInfo(error)
  // For the log of who streams the events: they have no result.
  if (scope.trace) noteTrace(info, scope.trace.rootId())
  return { type: 'run-end', ...answer, error: info }
}

/** What a run has used together with members whose usage is not added to it. */
export function usedWith(used: Used, uncollected: readonly Spent[]): Used {
  const spent = uncollected.length > 0 ? structuredClone(used.spent) : used.spent
  for (const each of uncollected) addSpent(spent, each)
  return { spent, cost: () => costOfSpent(spent) }
}

/** What is stored of the result. */
function endingOf(
  { reply, sources, output }: RunState,
  ledger: Used,
  { finishReason, error }: RunEnd,
): Partial<Omit<RunEnding, 'status'>> & { output?: JSONValue } {
  const cost = ledger.cost()
  return {
    ...{ finishReason, text: reply.text, sources: [...sources] },
    ...(finishReason === 'stop' && output !== undefined && { output: plainOf(output) as JSONValue }), // what JSON makes of it
    ...(error && { error: redactedInfo(error) }),
    ...(cost && { cost }),
  }
}

/** `undefined` for a suspended run: its turn is stored and holds no session. */
function turnStatus({ approvals }: RunState, { finishReason }: RunEnd): 'done' | 'failed' | undefined {
  const status = statusOf(finishReason)
  return status === 'waiting' || approvals.length > 0 ? undefined : status
}

/** How a run ended. */
export type RunEnd = { finishReason: RunFinishReason; error?: AgentKitError }

export function toResult(runId: string, state: RunState, ledger: Used, end: RunEnd): RunResult {
  const { reply, steps, sources, warnings, approvals, output } = state
  const { usage } = ledger.spent
  const cost = ledger.cost()
  const messages = messagesAfter(state, end)
  const result = {
    runId,
    text: reply.text,
    messages,
    usage,
    steps,
    sources,
    warnings,
    approvals,
    ...(cost && { cost }),
  }
  const { finishReason, error } = end
  if (finishReason === 'stop') return { ...result, finishReason, output }
  return { ...result, finishReason, output: undefined, ...(error && { error }) }
}

/** The messages that the next run of the session will see of this one. */
function messagesAfter({ messages, finished, approvals }: RunState, { finishReason, error }: RunEnd): Message[] {
  if (finishReason === 'stop') return messages
  const journal = [...messages, ...finished.filter((message) => !messages.includes(message))]
  // A run with pending approvals is stored as suspended, however it ended here.
  const isSuspended = approvals.length > 0
  if (error && !isSuspended) journal.push(stoppedNote(error.code))
  const status = isSuspended ? 'waiting' : statusOf(finishReason)
  return visibleMessages({ runId: '', status, createdAt: '', messages: journal })
}

/** The status of the stored turn. */
export function statusOf(finishReason: RunFinishReason): Exclude<TurnStatus, 'running' | 'replaced'> {
  if (finishReason === 'approval') return 'waiting'
  return finishReason === 'aborted' || finishReason === 'error' ? 'failed' : 'done'
}

/** Makes an interrupted reply the run's answer; without one, the last text of the model is the answer. */
export function keepPartialReply(state: RunState): void {
  const { reply, messages } = state
  if (reply.text.trim() === '') {
    const last = messages.findLast((message) => message.role === 'assistant' && textOf(message).trim() !== '')
    if (last?.role === 'assistant') state.reply = { ...emptyReply(), text: textOf(last), message: last }
    return
  }
  if (messages.includes(reply.message)) return
  messages.push({ v: 1, role: 'assistant', content: [{ type: 'text', text: reply.text }] })
}

/** Makes the answers of members the text of a run without one of its own. @returns whether there are any */
export function useMembersAnswer(state: RunState): boolean {
  if (state.reply.text.trim() !== '') return false
  const text = state.membersAnswer?.() ?? ''
  if (text !== '') state.reply = { ...emptyReply(), text }
  return text !== ''
}

/** Without a reply of its own, the run answers with what its members have answered. */
export async function emitPartialAnswer(state: RunState, emit: Emit): Promise<void> {
  if (!useMembersAnswer(state)) return
  keepPartialReply(state)
  await emit({ type: 'text-delta', text: state.reply.text })
}
