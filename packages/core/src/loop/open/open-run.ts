import type { Model, ModelRequest } from '../../contracts/model.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { notCompacted } from '../../conversation/compacted-view.ts'
import { Conversation } from '../../conversation/conversation.ts'
import { cacheKey } from '../../conversation/prompt-cache.ts'
import { AgentKitError, abortError } from '../../data/errors.ts'
import type { JSONValue, Message } from '../../data/message.ts'
import { unansweredCalls } from '../../data/transcript.ts'
import { limits } from '../../limits.ts'
import type { ModelChain } from '../../policies/fallback.ts'
import { applyHook, type HookContext } from '../../policies/hooks.ts'
import { type Ledger, stopClock } from '../../policies/ledger.ts'
import { checkPriced } from '../../policies/price.ts'
import { placeOf } from '../../runs/decisions/approval-id.ts'
import { earlierDecision } from '../../runs/earlier-decisions.ts'
import { openApprovals } from '../../runs/needed-approvals.ts'
import {
  failuresOf,
  type RunSnapshot,
  restore,
  snapshotOf,
  storeSnapshot,
  suspendedMembers,
} from '../../runs/snapshot.ts'
import { openTurn, readRecorded, resumeTurn, sessionState } from '../../sessions/open-turn.ts'
import { notSuspended } from '../../sessions/suspended-runs.ts'
import { estimateRequest } from '../../tokens/estimate-tokens.ts'
import { checkClientTools, withClientTools } from '../../tools/client-tools.ts'
import { withToolInstructions } from '../../tools/toolbox.ts'
import { untilAborted } from '../../util/async/abort.ts'
import { asJSON } from '../../util/json/clone-json.ts'
import { findDelegates } from '../members/delegates.ts'
import { callWithFallback, type ModelCaller } from '../model/call-with-fallback.ts'
import { type AgentSpec, anyUser, type NewRun, type OpenedRun, type Run, type RunScope } from '../run/types.ts'
import { guardOf } from '../tools/guard-of.ts'
import { chooseModel } from './choose-model.ts'
import { openStored } from './open-stored.ts'

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

/** What is stored of a run from now on, until it has ended. */
function describe({ turn, ledger, scope }: OpenedRun, snapshot: () => JSONValue): void {
  turn.describe?.({ snapshot, usage: () => ledger.spent.usage, seq: () => scope.events?.lastSeq() ?? 0 })
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

/** A run whose session is open, also of a member that a conversation is handed to. */
export async function prepareRun(opened: OpenedRun): Promise<Run> {
  const { agent, scope, turn, state, ledger, snapshot, place } = opened
  const { signal, emit } = scope
  const hookContext = hookContextOf(scope)
  const { toolBox: own, warnings } = await agent.tools(hookContext)
  // They are the outermost agent's.
  const brought = scope.member || scope.memberRun || place ? undefined : scope.clientTools
  const given = brought && checkClientTools(brought, { max: brought.length, tools: [] })
  const toolBox = given ? await withClientTools(own, given) : own
  // A resumed run has its other warnings already.
  state.warnings.push(...warnings, ...(snapshot ? [] : (agent.ineffectiveOptions ?? [])))
  const format = agent.outputFormat && (await untilAborted(signal, agent.outputFormat()))
  await checkPrices(agent.chain, ledger, signal)
  const path = place?.path ?? []
  const messagesBefore = snapshot ? (snapshot.messagesBefore ?? 0) : path.length > 0 ? state.messages.length : 0
  const model = await chooseModel(agent.chain, state.messages.slice(messagesBefore), emit)
  const caller: ModelCaller = { agent, scope, ledger, model, turn }
  const summarize = summarizer(caller, hookContext)
  const conversation = new Conversation({
    instruction: withToolInstructions(agent.instruction, toolBox),
    history: turn.history,
    notes: agent.notes && (await untilAborted(signal, notesOf(opened))),
    messages: snapshot ? withoutLastResults(state.messages) : [...state.messages],
    compaction: snapshot ? snapshot.compaction : sessionState(turn).compaction,
    unstored: snapshot?.unstored,
    summarize,
    preferred: agent.chain.models[0],
    async onCompacted(compaction) {
      // The session has its messages in another order.
      if (turn.isLast === false && compaction !== notCompacted) return
      await untilAborted(signal, turn.append([], { ...sessionState(turn), compaction }))
    },
    warnings: state.warnings,
  })
  if (opened.hasMoved) {
    await conversation.rebase(turn.history)
    for (const prompt of state.answered.values()) if (!('request' in prompt)) prompt.isMoved = true
  }
  const { delegates } = opened
  const run: Run = Object.assign(caller, {
    ...{ turn, state, conversation, toolBox, format, hookContext, summarize, snapshot, path, delegates },
    guard: guardOf(opened),
    members: {
      memberPath: place?.memberPath ?? scope.member?.memberPath ?? agent.id,
      store: place?.store ?? scope.member?.store ?? agent.sessions,
      suspended: suspendedMembers(snapshot, placeOf(opened)),
      decided: new Map(),
      failures: failuresOf(snapshot),
      // Set on the run of the member that has the conversation, not on those around it.
      handedTo: agent.drive ? undefined : snapshot?.handedTo,
      summary: undefined,
    },
    stepsBefore: snapshot ? (snapshot.stepsBefore ?? 0) : path.length > 0 ? state.steps : 0,
    messagesBefore,
    plannedSteps: snapshot?.plannedSteps ?? 0,
    finalTool: undefined,
    cacheKey: await untilAborted(signal, cacheKey(agent, hookContext)),
  })
  const { membersAnswer } = agent
  if (membersAnswer) state.membersAnswer = () => membersAnswer(run)
  describe(opened, () => snapshotOf(run))
  return run
}

/** Of a run that continues: those that it began with, as far as they are still there. */
async function notesOf({ agent, scope, stored }: OpenedRun): Promise<string | undefined> {
  const { userId, runId } = scope
  return agent.notes?.({ userId, runId, before: stored?.record.startedAt })
}

async function checkPrices({ models }: ModelChain, { accounts, prices }: Ledger, signal: AbortSignal): Promise<void> {
  for (const { budget } of accounts) {
    if (budget.usd === undefined) continue
    const loads = await untilAborted(signal, Promise.allSettled(models.map(async (model) => model.load?.())))
    // A model that cannot be loaded fails when it is called.
    const loaded = models.filter((_, index) => loads[index]?.status === 'fulfilled')
    checkPriced(loaded, prices, budget, true)
  }
}

function summarizer(caller: ModelCaller, hookContext: HookContext): Run['summarize'] {
  return async (messages, maxOutputTokens) => {
    const prompt = maxOutputTokens === undefined ? { messages } : { messages, maxOutputTokens }
    const requestFor = async (model: Model): Promise<ModelRequest> => {
      const request = (await applyHook('beforeModel', caller.agent.hooks.beforeModel, prompt, hookContext)).value
      // A fallback model may have less room than the model that the prompt was made for.
      if (!hasRoomFor(request, model)) throw new AgentKitError('context-overflow', `"${model.id}" has too little room.`)
      return request
    }
    return (await callWithFallback(caller, { emit: () => undefined, requestFor })).text
  }
}

/** Results of the step that is resumed are added once all its calls have one. */
function withoutLastResults(messages: readonly Message[]): Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role !== 'tool') + 1)
}

function hasRoomFor(request: ModelRequest, { info }: Model): boolean {
  const { contextWindow = Number.POSITIVE_INFINITY } = info ?? {}
  return estimateRequest(request, info) + (request.maxOutputTokens ?? 0) <= contextWindow
}

function hookContextOf({ runId, userId, sessionId, signal, memberRun }: RunScope): HookContext {
  // The run that a member belongs to, as if it were a part of it.
  return { runId: memberRun?.rootRunId ?? runId, userId, ...(sessionId === undefined ? {} : { sessionId }), signal }
}
