import type { ToolSpec } from '../../contracts/model.ts'
import type { StoredRun } from '../../contracts/run-store.ts'
import type { Decision } from '../../data/approval-data.ts'
import type { Budget } from '../../data/budget.ts'
import { AgentKitError } from '../../data/errors.ts'
import { isRecord } from '../../data/message-problem.ts'
import { unansweredCalls } from '../../data/transcript.ts'
import { limits } from '../../limits.ts'
import { stopClock } from '../../policies/ledger.ts'
import { collectSpent } from '../../runs/collect-spent.ts'
import { placeOf } from '../../runs/decisions/approval-id.ts'
import { checkResults } from '../../runs/decisions/check-results.ts'
import { checkDecisions } from '../../runs/decisions/decisions.ts'
import { endExpiredRuns, expiryOf } from '../../runs/expired-runs.ts'
import { openApprovals } from '../../runs/needed-approvals.ts'
import { type RunSnapshot, readSnapshot, restore, suspendedMembers } from '../../runs/snapshot.ts'
import { endOfTree } from '../../runs/tree-spent.ts'
import { type EventQueue, eventQueue } from '../../sessions/event-queue.ts'
import { leaveTurn, type OpenedTurn } from '../../sessions/leave-turn.ts'
import { acquireRun } from '../../sessions/live-runs.ts'
import { attachTurn, continueTurn } from '../../sessions/open-turn.ts'
import { holdsSession, optionsOf } from '../../sessions/recorded-data.ts'
import { isConflict } from '../../sessions/unended-runs.ts'
import { decisionsOf } from '../../sessions/watch-suspended.ts'
import { untilAborted } from '../../util/async/abort.ts'
import { readInterruptedStep, readMissingSources, workflowCall } from '../run/interrupted-step.ts'
import { RunDelegated } from '../run/parent-run.ts'
import type { NewRun, OpenedRun, RunScope } from '../run/types.ts'

/**
 * Takes over a run that the store has recorded, and stores the decisions that it is resumed with. Without a decision, a
 * run that waits stays suspended.
 * @throws AgentKitError `session-conflict`, `session-busy`, `not-found`, `invalid-argument`
 */
export async function openStored(run: NewRun, before: StoredRun): Promise<OpenedRun> {
  const { memberRun } = run.scope
  if (before.rootRunId !== undefined && !memberRun) throw partOf(before, before.rootRunId)
  const opened = { ...(await takeOverStored(run, before)), stored: before }
  if (!memberRun) return opened
  const memberPath = [memberRun.agentId, ...memberRun.path].join('/')
  return { ...opened, place: { path: [], memberPath, store: run.agent.sessions } }
}

function partOf({ record: { runId } }: StoredRun, rootRunId: string): AgentKitError {
  const message = `The run ${runId} is a part of the run ${rootRunId}: decide on the approvals of that run.`
  return new AgentKitError('session-conflict', message, { runId })
}

async function takeOverStored(run: NewRun, before: StoredRun): Promise<OpenedRun> {
  const { agent, scope } = run
  const { runId, signal, end: interrupt } = scope
  const { sessions: store, onBusy, approvalMs } = agent
  if (store.runs && scope.decisions) {
    await untilAborted(signal, endExpiredRuns(store, agent.id, approvalMs))
    const now = await untilAborted(signal, store.runs.read(runId))
    const expiry = now && expiryOf(now)
    if (expiry) throw expiry
  }
  const { approvals } = before
  const decisions = await checkResults(agent, approvals, checkDecisions(runId, scope.decisions ?? {}, approvals))
  const isDecided = Object.keys(decisions).length > 0
  const kept = before.keepsEvents ? keepEvents(scope) : undefined
  // A run that died or was handed back still holds its session, and a continued run interrupts no other. A worker does not
  // wait for a session, as the run is delivered to it again. Nor does a background run, which would hold back itself.
  const isRejected = scope.isDelivered === true || before.isBackground === true
  const own = { onBusy: isRejected ? ('reject' as const) : ('queue' as const), isHolder: holdsSession(before) }
  const session = {
    store,
    runId,
    signal,
    ...(scope.continues ? own : { onBusy }),
    ...{ interrupt, waits: () => stopClock(run.ledger) },
    events: kept,
    settles: agent.hasClientTools,
    endOfTree: endOfTree.bind(undefined, store),
  }
  // Without a decision a run that waits stays suspended: its approvals are shown again.
  const isAttached = scope.decisions !== undefined && !isDecided && before.record.status === 'waiting'
  const starter = {
    timeoutMs: agent.timeoutMs ?? limits.backgroundMs,
    changesInput: agent.hooks.input !== undefined,
    notifies: scope.notifies === true,
    ...(before.attempt === 0 && { version: await untilAborted(signal, agent.storedVersion()) }),
  }
  const takeOver = async (): Promise<OpenedTurn> => {
    if (isAttached) return attachTurn(session, before)
    if (!store.runs || !isDecided) return continueTurn(session, before, starter)
    await untilAborted(signal, store.runs.decide(runId, decisions))
    return continueTurn(session, before, starter).catch((error) => {
      if (!scope.handover || !isConflict(error)) throw error
      // While this one waited for the session, another process has continued the run by these decisions.
      scope.events?.continueFrom(before.lastSeq)
      throw new RunDelegated()
    })
  }
  const release = acquireRun(store, runId)
  const taken = await takeOver().finally(release)
  try {
    return await openTaken(run, taken, { kept, isAttached })
  } catch (error) {
    await leaveTurn(store, taken)
    throw error
  }
}

type Taking = { kept: EventQueue | undefined /** Whether its approvals are only shown again. */; isAttached: boolean }

/** A run that this process has taken over, as it continues. */
async function openTaken(run: NewRun, taken: OpenedTurn, { kept, isAttached }: Taking): Promise<OpenedRun> {
  const { agent, scope, state, ledger } = run
  const { sessions: store } = agent
  const { turn, messages, progress, stored, hasMoved, start, unstored } = taken
  const isNew = start === 'first' || unstored !== undefined
  // Nothing of it was emitted yet. One that was ended before it began has an event too. What only shows approvals again
  // stores no events: their numbers are below those of the run that continues.
  if (stored.attempt > 1 || stored.lastSeq > 0 || isAttached) {
    const gap = isAttached ? limits.eventGap / 2 : limits.eventGap
    scope.events?.continueFrom(Math.max(stored.lastSeq, progress?.seq ?? 0) + gap)
  }
  const snapshot = readSnapshot(progress?.snapshot)
  if (snapshot) restore(run, snapshot, messages)
  else {
    state.messages.push(...(unstored ? [unstored.input] : messages))
    ledger.resume({ budget: budgetOf(stored), spent: ledger.spent })
  }
  const { at = Date.parse(stored.record.createdAt), suspended } = progress ?? {}
  const now = store.runs?.now() ?? at
  // Time without a process counts, time that the run waits for a person or in a queue does not.
  if (start === 'again') ledger.spent.ms = 0
  else if (!suspended && !isNew) ledger.spent.ms += Math.max(0, now - at)
  if (turn.deadline !== undefined) scope.endWithin?.(turn.deadline - now, wholeTimeOf(stored))
  const { key, record } = stored
  const clientTools = clientToolsOf(stored) ?? scope.clientTools
  const withTools = { ...scope, ...(clientTools && { clientTools }) }
  const continued = { ...withTools, userId: key.userId, sessionId: sessionOf(scope, record), ...(kept && { kept }) }
  if (isNew) {
    const { decisions: _, continues: _continues, ...begun } = continued
    const input = unstored?.input ?? messages[0]
    return {
      ...{ ...run, scope: { ...begun, ...(input?.role === 'user' && { input }) }, turn, hasMoved: false },
      ...(unstored && { unstored: unstored.seed }),
      beginsSegment: start !== undefined || stored.lastSeq === 0,
    }
  }
  await warnOfVersion(run, stored)
  if (suspended && start === undefined) {
    const decisions = isAttached ? {} : pendingDecisions(run, snapshot, stored)
    return { ...run, scope: { ...continued, decisions }, turn, snapshot, hasMoved }
  }
  for (const { callId } of unansweredCalls(state.messages)) {
    const startedAt = taken.begun.find((call) => call.callId === callId)?.startedAt
    if (startedAt !== undefined) state.begun.set(callId, startedAt)
  }
  const requested = new Set(stored.approvals.map(({ approvalId }) => approvalId))
  const died: RunScope = { ...continued, decisions: decisionsOf(stored), requested }
  const isRetried = start === 'again'
  if (!isRetried && taken.begun.some(({ callId }) => callId === workflowCall)) died.isWorkflowLost = true
  const left = isRetried ? withoutElsewhere(snapshot) : snapshot
  const opened = { ...run, turn, snapshot: left, isRetried, hasMoved }
  if (!kept || !store.runs) return { ...opened, scope: died }
  const { memberRun } = scope
  const path = memberRun ? [memberRun.agentId, ...memberRun.path] : [agent.id]
  // The store numbers the events of members.
  const from = memberRun ? { step: state.steps } : { after: progress?.replySeq ?? 0 }
  const interrupted = await readInterruptedStep(store.runs, stored, from, {
    own: path,
    active: snapshot ? (snapshot.active ?? []) : undefined,
    steps: state.steps,
  })
  countLostCalls(run, interrupted.modelCalls, snapshot?.active ?? [])
  const { runs } = store
  interrupted.missingSources = () => readMissingSources(runs, stored, { own: path, sources: state.sources })
  if (progress?.released || start) Object.assign(interrupted, { isModelCallLost: false })
  // A reader may have seen more of a step than was stored, even where nothing was.
  return { ...opened, scope: { ...died, interrupted }, beginsSegment: start !== undefined || stored.lastSeq === 0 }
}

/** Counts the model calls by its budget that the stored progress does not have yet. What they have used is not known. */
function countLostCalls(run: NewRun, begun: number, active: readonly string[]): void {
  const { state } = run
  const modelCalls = Math.max(0, begun - state.callsOfStep)
  state.callsOfStep += modelCalls
  const spent = { usage: {}, usd: 0, unpriced: false, modelCalls, toolCalls: 0, ms: 0 }
  if (modelCalls > 0) collectSpent(run, spent, active)
}

/** The runs of members ended with the run: none of them waits any more. */
function withoutElsewhere(snapshot: RunSnapshot | undefined): RunSnapshot | undefined {
  const members = Object.entries(snapshot?.members ?? {}).filter(([, member]) => !('runId' in member))
  return snapshot && { ...snapshot, members: Object.fromEntries(members) }
}

/** A run that another version of the agent has begun says so. */
async function warnOfVersion({ agent, state, scope }: NewRun, stored: StoredRun): Promise<void> {
  const version = await untilAborted(scope.signal, agent.storedVersion())
  const before = optionsOf(stored).begunBy ?? stored.record.agentVersion
  if (before === undefined || version === undefined || before === version) return
  const warning = `The run was begun by version "${before}" of the agent, and continued by version "${version}".`
  if (!state.warnings.includes(warning)) state.warnings.push(warning)
}

/** Stores the run's events from now on. */
export function keepEvents({ events, memberRun }: RunScope): EventQueue {
  const kept = eventQueue()
  events?.recordTo(kept.add, memberRun?.rootRunId)
  return kept
}

/** The tools and hooks of a member see the session of the outermost run, which that run holds. */
function sessionOf({ memberRun }: RunScope, { sessionId }: StoredRun['record']): string | undefined {
  return memberRun ? memberRun.sessionId : sessionId
}

/** The decisions on approvals that the run still waits for. */
function pendingDecisions(run: NewRun, snapshot: RunSnapshot | undefined, stored: StoredRun): Record<string, Decision> {
  const { state } = run
  const place = placeOf(run)
  const suspended = suspendedMembers(snapshot, place)
  const decided = decisionsOf(stored)
  const open = openApprovals(unansweredCalls(state.messages), place, { ...state, suspended })
  return Object.fromEntries(
    open.flatMap(({ approvalId }) => {
      const decision = decided[approvalId]
      return decision === undefined ? [] : [[approvalId, decision]]
    }),
  )
}

/** The tools that the client brought. */
function clientToolsOf(stored: StoredRun): readonly ToolSpec[] | undefined {
  const { run } = optionsOf(stored)
  // Written when the run was created.
  return isRecord(run) && Array.isArray(run.clientTools) ? (run.clientTools as unknown as ToolSpec[]) : undefined
}

/** The time that the run has from its first start, for the error. */
function wholeTimeOf(stored: StoredRun): string {
  const { run } = optionsOf(stored)
  return isRecord(run) && typeof run.timeoutMs === 'number' ? `within ${run.timeoutMs} ms` : 'in time'
}

/** The budget of the run, tightened by its caller. */
function budgetOf(stored: StoredRun): Budget {
  const { run } = optionsOf(stored)
  // Written when the run was created.
  return isRecord(run) && isRecord(run.budget) ? (run.budget as Budget) : {}
}
