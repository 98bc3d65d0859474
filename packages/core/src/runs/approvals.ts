import type { Approval, Decisions } from '../data/approval-data.ts'
import { abortError } from '../data/errors.ts'
import type { AgentEvent, Emit } from '../data/event.ts'
import type { JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import type { Spent } from '../policies/account.ts'
import { startDeadline } from '../policies/deadline.ts'
import { settledWithin, untilAborted } from '../util/async/abort.ts'
import { cloneJSON } from '../util/json/clone-json.ts'
import { checkResults, type ResultOwner } from './decisions/check-results.ts'
import { checkDecisions } from './decisions/decisions.ts'
import type { ActiveMember, RunDriver } from './driver/run-driver.ts'
import { runEndOf } from './end-turn.ts'
import { agentEndOf } from './member-outcome.ts'
import { runStartOf } from './run-start.ts'
import { type OpenRun, storeSnapshot, takeSnapshot } from './take-snapshot.ts'

/** A run, and the agent that knows the results that it waits for. */
type AskingRun = OpenRun & { agent: ResultOwner }

/**
 * Checks the decisions that a run is resumed with. Invalid ones leave it suspended as it was.
 * @returns the decisions by the ids of the approvals
 * @throws AgentKitError `invalid-argument`
 */
export async function checkOrSuspend(run: AskingRun, approvals: Approval[], decisions: Decisions): Promise<Decisions> {
  try {
    return await checkResults(run.agent, approvals, checkDecisions(run.scope.runId, decisions, approvals))
  } catch (error) {
    await suspend(run, approvals)
    throw error
  }
}

/**
 * Stores the run as suspended, emits its approvals, and waits for decisions.
 * @param uncollected the usage of members whose runs wait
 * @returns `undefined` when the run ends here and stays suspended
 */
export async function requestDecisions(
  run: AskingRun,
  approvals: Approval[],
  uncollected: readonly Spent[],
): Promise<Decisions | undefined> {
  const { trace } = run.scope
  const wait = (): Promise<Decisions | undefined> => waitForDecisions(run, approvals, uncollected)
  return trace ? trace.whileWaiting(wait) : wait()
}

async function waitForDecisions(
  run: AskingRun,
  approvals: Approval[],
  uncollected: readonly Spent[],
): Promise<Decisions | undefined> {
  const { scope, state, turn, ledger, conversation } = run
  const { signal, emit } = scope
  try {
    // Stored with the run, before a reader receives them.
    const held = scope.events?.isRecorded() ? scope.events.hold() : undefined
    const request = ({ path, ...approval }: Approval): Promise<void> | undefined => {
      return emit({ type: 'approval-request', ...approval, input: cloneJSON(approval.input as JSONValue) }, path)
    }
    if (held) for (const approval of approvals) void request(approval)
    // Another process may continue the run as soon as it is stored: its followers then miss no event.
    const endsHere = held !== undefined && (scope.endsForApproval === true || scope.memberRun !== undefined)
    if (endsHere) endSegment(run, uncollected)
    const early = await suspend(run, approvals, held?.events).catch((error) => {
      held?.drop()
      for (const { active } of activeMembers(run).members) active.isWaiting = false
      throw error
    })
    const open = approvals.filter(({ approvalId }) => early[approvalId] === undefined)
    // A person may take longer than the run has.
    const resumeClock = scope.pause()
    // Before the events: a reader may decide as soon as it receives one.
    const decided = open.length > 0 ? decisionsOn(run, open) : early
    if (!held) for (const approval of open) await request(approval)
    held?.release((event) => event.type !== 'approval-request' || early[event.approvalId] === undefined)
    const own = await Promise.resolve(decided).finally(resumeClock)
    if (!own) return undefined
    const { hasMoved, decisions = own } = await turn.resume(signal)
    if (endsHere) await beginSegment(run)
    state.approvals = []
    ledger.resume()
    if (hasMoved) await conversation.rebase(turn.history)
    const isShown = (id: string): boolean => approvals.some(({ approvalId }) => approvalId === id)
    return Object.fromEntries(Object.entries(decisions).filter(([id]) => isShown(id)))
  } catch (error) {
    // A run that could not be stored ends like any other.
    if (state.approvals.length === 0) throw error
    // The run's time was over once it had been stored: it stays suspended.
    if (abortError(signal).code === 'timeout') return undefined
    if (scope.approvals.isCancelled()) await takeBack(run)
    throw error
  }
}

/** Emits that the members which have the conversation wait, from the inside out, and that the run ends with its approvals. */
function endSegment(run: OpenRun, uncollected: readonly Spent[]): void {
  const { members, around } = activeMembers(run)
  for (const { emit, active } of members) {
    active.isWaiting = true
    void emit(agentEndOf(active.name, { status: 'waiting' }))
  }
  void around.emit(runEndOf(run, { finishReason: 'approval' }, uncollected))
}

/** All approvals were decided before: the run continues at once. */
async function beginSegment(run: OpenRun): Promise<void> {
  const { members, around } = activeMembers(run)
  const { memberRun, emit, events } = around
  events?.reopen()
  // The accounts of members that have the conversation are before the run's own.
  const own = { accounts: run.ledger.accounts.slice(run.path.length) }
  await emit(memberRun ? { type: 'agent-start', name: memberRun.name } : runStartOf(own, run.scope.sessionId))
  for (const { emit, active } of members.toReversed()) {
    active.isWaiting = false
    await emit({ type: 'agent-start', name: active.name })
  }
}

/** The members that have the conversation, from the inside out, and the driver of the run around them. */
function activeMembers({ scope }: OpenRun): { members: { emit: Emit; active: ActiveMember }[]; around: RunDriver } {
  const members = []
  let around: RunDriver = scope
  for (; around.active; around = around.active.around) members.push({ emit: around.emit, active: around.active })
  return { members, around }
}

/**
 * Resumes a cancelled run, so that it ends like any other.
 * @throws when another run holds its session, or it was resumed elsewhere: it then stays suspended, as its result says
 */
async function takeBack({ turn, state }: OpenRun): Promise<void> {
  const controller = new AbortController()
  const deadline = startDeadline((reason) => controller.abort(reason), limits.endFailedMs)
  const { signal } = controller
  await (turn.cancel ? untilAborted(signal, turn.cancel()) : turn.resume(signal)).finally(deadline.stop)
  state.approvals = []
}

/** Waits for decisions of the reader, and for those that the store receives from elsewhere. */
async function decisionsOn(
  { agent, scope, turn, state }: AskingRun,
  open: readonly Approval[],
): Promise<Decisions | undefined> {
  const stored: Promise<unknown>[] = []
  const own = new Set<string>()
  let known: Decisions = {}
  const unwatch = turn.watch?.((change) => {
    if ('decisions' in change) {
      known = change.decisions
      scope.approvals.learn(known)
      return
    }
    state.approvals = []
    scope.end(change.ended)
  })
  try {
    const decided = await scope.approvals.decisions(open, scope.signal, {
      async check(decision) {
        await checkResults(agent, open, checkDecisions(scope.runId, decision, open))
      },
      onDecided(approvalId, decision) {
        if (!turn.decide) return
        own.add(approvalId)
        const storing = turn.decide({ [approvalId]: decision })
        stored.push(storing)
        // Awaited below.
        storing.catch(() => own.delete(approvalId))
      },
    })
    await untilAborted(scope.signal, Promise.all(stored))
    return decided
  } finally {
    unwatch?.()
    // Some decisions on an aborted run may be about to be stored.
    await settledWithin(limits.endFailedMs, Promise.allSettled(stored))
    const left = state.approvals.filter(({ approvalId: id }) => known[id] === undefined && !own.has(id))
    // A run of which all are decided is suspended until it continues.
    if (left.length > 0) state.approvals = left
  }
}

async function suspend(run: OpenRun, approvals: Approval[], events: readonly AgentEvent[] = []): Promise<Decisions> {
  const { path, scope } = run
  const shown = approvals.map((approval) =>
    path.length > 0 ? { ...approval, path: [...path, ...(approval.path ?? [])] } : approval,
  )
  return storeSnapshot(run, takeSnapshot(run), { approvals: shown, events }, () => {
    if (scope.approvals.isCancelled()) void endSuspended(run).catch(() => {})
    return scope.approvals.isCancelled()
  })
}

/** Ends a run that was cancelled while the store still suspended it. */
async function endSuspended({ turn, ledger }: OpenRun): Promise<void> {
  if (turn.cancel) return turn.cancel()
  await turn.resume(new AbortController().signal)
  await turn.end('failed', ledger.spent.usage).finally(() => turn.release())
}
