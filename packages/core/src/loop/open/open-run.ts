import type { SessionStore } from '../../contracts/session-store.ts'
import { type AgentKitError, abortError } from '../../data/errors.ts'
import type { JSONValue, Message } from '../../data/message.ts'
import { unansweredCalls } from '../../data/transcript.ts'
import { limits } from '../../limits.ts'
import { applyHook } from '../../policies/hooks.ts'
import { stopClock } from '../../policies/ledger.ts'
import { placeOf } from '../../runs/decisions/approval-id.ts'
import { earlierDecision } from '../../runs/earlier-decisions.ts'
import { openApprovals } from '../../runs/needed-approvals.ts'
import { type RunSnapshot, restore, suspendedMembers } from '../../runs/snapshot.ts'
import { storeSnapshot } from '../../runs/take-snapshot.ts'
import { endOfTree } from '../../runs/tree-spent.ts'
import { openTurn, readRecorded, resumeTurn } from '../../sessions/open-turn.ts'
import { notSuspended } from '../../sessions/suspended-runs.ts'
import { untilAborted } from '../../util/async/abort.ts'
import { asJSON } from '../../util/json/clone-json.ts'
import { findDelegates } from '../members/delegates.ts'
import { type AgentSpec, anyUser, type NewRun, type OpenedRun, type Run, type RunScope } from '../run/types.ts'
import { openStored } from './open-stored.ts'
import { describe, hookContextOf, prepareRun } from './prepare-run.ts'

/**
 * Acquires the session for a new run or for a suspended one.
 * @throws Blocked when the input hook blocks the message
 * @throws AgentKitError `session-busy`, `session-conflict`, `not-found`
 */
export async function openSession(run: NewRun): Promise<OpenedRun> {
  const { agent, scope, state, ledger } = run
  const { runId, sessionId, userId, signal, member, decisions } = scope
  const { sessions: store, onBusy, hooks, id: agentId } = agent
  const session = {
    store,
    agentId: scope.memberRun?.agentId ?? agentId,
    runId,
    signal,
    onBusy,
    approvalMs: agent.approvalMs,
    interrupt: scope.end,
    waits: () => stopClock(ledger),
    endOfTree: endOfTree.bind(undefined, store),
  }
  if (member?.suspended) {
    const { messages, waiting } = member.suspended
    restore(run, waiting, structuredClone(messages))
    return { ...run, turn: member.turn, snapshot: waiting, hasMoved: false }
  }
  const owner = userId === anyUser ? {} : { userId }
  const stored = decisions || scope.continues ? await readRecorded({ ...session, ...owner }, scope.known) : undefined
  if (stored) return openStored(run, stored)
  if (scope.continues) throw notSuspended(runId)
  if (decisions) {
    const earlier = (): AgentKitError | undefined => earlierDecision(store, runId, decisions)
    const { turn, entry, messages, hasMoved } = await resumeTurn({ ...session, ...owner, earlier })
    // The JSON that `suspend` has stored.
    const snapshot = entry.waiting as unknown as RunSnapshot
    restore(run, snapshot, messages)
    // The run's approvals, and the end of its segment, were emitted after its snapshot was stored.
    if (snapshot.seq !== undefined) scope.events?.continueFrom(snapshot.seq + limits.eventGap)
    return { ...run, scope: { ...scope, userId: entry.userId, sessionId: entry.sessionId }, turn, snapshot, hasMoved }
  }
  const { value: input } = await applyHook('input', hooks.input, scope.input, hookContextOf(scope))
  state.messages[0] = input
  if (member) {
    checkAccepted(agent, [...member.turn.history, input])
    return { ...run, turn: member.turn, hasMoved: false }
  }
  const key = sessionId === undefined ? undefined : { agentId, userId, sessionId }
  const turn = await openTurn({
    ...{ ...session, key, userId, input, seed: scope.history, replaces: scope.replaces },
    ...{
      keepsEvents: scope.resumable === true,
      isResumable: scope.resumable === true && !agent.cannotContinue,
      deadline: deadlineOf(scope, store),
      events: scope.kept,
      notifies: scope.notifies,
    },
    options: asJSON({ budget: scope.budget, ...(scope.clientTools && { clientTools: scope.clientTools }) }),
    settles: agent.hasClientTools,
    agentVersion: store.runs && (await untilAborted(signal, agent.storedVersion())),
  })
  return { ...run, turn, hasMoved: false }
}

/** By the clock of the store, as a whole number: databases have no other milliseconds. */
function deadlineOf({ msLeft }: RunScope, { runs }: SessionStore): number | undefined {
  const left = msLeft?.()
  return runs && left !== undefined ? runs.now() + Math.ceil(left) : undefined
}

/** @throws AgentKitError what the agent throws for a message that it does not accept */
export function checkAccepted({ takes }: AgentSpec, messages: readonly Message[]): void {
  for (const message of messages) if (message.role === 'user') takes?.(message)
}

/**
 * Prepares what the steps of a run share.
 * @throws AgentKitError for schemas that cannot be compiled; `invalid-config` for a budget in US dollars without a price.
 *   A resumed run then stays suspended.
 */
export async function openRun(opened: OpenedRun): Promise<Run> {
  try {
    const delegates = await findDelegates(opened)
    opened.delegates = delegates
    if (opened.unstored) await storeInput(opened, opened.unstored)
    if (opened.scope.memberRun && !opened.snapshot) {
      checkAccepted(opened.agent, [...opened.turn.history, ...opened.state.messages])
    }
    return await prepareRun({ ...opened, delegates })
  } catch (error) {
    const { snapshot, scope, state } = opened
    // A run without time would have none whenever it is resumed.
    const isOutOfTime = scope.signal.aborted && abortError(scope.signal).code === 'budget'
    if (snapshot && !isOutOfTime && !scope.requested) {
      const calls = unansweredCalls(state.messages)
      const place = placeOf(opened)
      const open = openApprovals(calls, place, { ...state, suspended: suspendedMembers(snapshot, place) })
      await storeSnapshot(opened, snapshot, { approvals: open })
    } else if (snapshot && isOutOfTime) describe(opened, () => unopened(opened, snapshot))
    throw error
  }
}

/** A run whose time is over before it is open: as it was, with the warnings of now and what its members have used. */
function unopened({ state: { warnings, collected }, ledger }: OpenedRun, snapshot: RunSnapshot): JSONValue {
  const progress = { ...snapshot.progress, warnings, collected }
  return asJSON({ ...snapshot, progress, booked: ledger.snapshot() })
}

/**
 * Stores the first messages of a run that a worker began.
 * @throws Blocked when the input hook blocks the message
 */
async function storeInput({ agent, scope, state, turn }: OpenedRun, seed: readonly Message[]): Promise<void> {
  // Until the hook accepts the message, the run has none: neither a blocked one nor its answer is stored.
  state.messages = []
  const { value: input } = await applyHook('input', agent.hooks.input, scope.input, hookContextOf(scope))
  state.messages = [input]
  await untilAborted(scope.signal, turn.append([...seed, input]))
}
