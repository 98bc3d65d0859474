import type { Model, ModelRequest } from '../contracts/model.ts'
import { createConversation } from '../conversation/conversation.ts'
import { AgentKitError, abortError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import { createGuard } from '../policies/guard.ts'
import { type HookContext, passHook } from '../policies/hooks.ts'
import type { Ledger } from '../policies/ledger.ts'
import { checkPriced } from '../policies/price.ts'
import type { Progress } from '../runs/run-state.ts'
import type { ParkedMember } from '../runs/snapshot.ts'
import { openApprovals, parkedIn, storeWaiting, type WaitingStep, waitingCalls } from '../runs/snapshot.ts'
import { type OpenTurn, openTurn, reopenTurn } from '../sessions/open-turn.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'
import { untilAborted } from '../util/abort.ts'
import { askModel, chooseModel } from './call-with-fallback.ts'
import type { Inside } from './types.ts'
import { type AgentSpec, type Asker, anyUser, type OpenedSession, type Run, type RunScope } from './types.ts'

/**
 * Claims the session for a new run, or for one that has waited.
 * @throws Blocked when the input hook says so
 * @throws AgentKitError `session-busy`, `session-conflict`, `not-found`
 */
export async function openSession(
  agent: AgentSpec,
  scope: RunScope,
  progress: Progress,
  ledger: Ledger,
): Promise<OpenedSession> {
  const { runId, sessionId, userId, signal } = scope
  const { sessions: store, onBusy, hooks, id: agentId } = agent
  const interrupt = scope.end
  if (scope.member?.parked) return reopenMember(scope, scope.member.turn, scope.member.parked, progress, ledger)
  if (scope.decisions) {
    const reopened = await reopenTurn({ store, agentId, runId, signal, onBusy, interrupt, ...ownerOf(scope) })
    progress.messages.push(...reopened.messages)
    progress.finished.push(...reopened.messages.filter((message) => message.role === 'tool'))
    const { turn, userId: owner, key, moved } = reopened
    // What `park` was given, which is plain JSON.
    const waiting = reopened.waiting as unknown as WaitingStep
    goOnWith(waiting, progress, ledger)
    return { turn, scope: { ...scope, userId: owner, sessionId: key?.sessionId }, waiting, moved }
  }
  const { value: input } = await passHook('input', hooks.input, scope.input, hookContextOf(scope))
  progress.messages[0] = input
  if (scope.member) {
    checkTaken(agent, [...scope.member.turn.history, input])
    return { turn: scope.member.turn, scope, moved: false }
  }
  const key = sessionId === undefined ? undefined : { agentId, userId, sessionId }
  const request = { store, key, agentId, userId, runId, input, seed: scope.history, signal, onBusy, interrupt }
  return { turn: await openTurn(request), scope, moved: false }
}

/** @throws AgentKitError what the agent says of a message that it does not take */
export function checkTaken({ takes }: AgentSpec, messages: readonly Message[]): void {
  for (const message of messages) if (message.role === 'user') takes?.(message)
}

/** A member's run goes on in its swarm's, where it was stored. */
function reopenMember(
  scope: RunScope,
  turn: OpenTurn,
  { messages, waiting }: ParkedMember,
  progress: Progress,
  ledger: Ledger,
): OpenedSession {
  progress.messages.push(...structuredClone(messages))
  progress.finished.push(...progress.messages.filter((message) => message.role === 'tool'))
  goOnWith(waiting, progress, ledger)
  return { turn, scope, waiting, moved: false }
}

function goOnWith(waiting: WaitingStep, progress: Progress, ledger: Ledger): void {
  ledger.resume(waiting.booked)
  // A copy: stores may hand out what nobody can change.
  Object.assign(progress, structuredClone(waiting.progress))
}

/**
 * Makes ready what the steps share.
 * @throws AgentKitError what compiling the schemas throws; `invalid-config` when US dollars are bounded, and a price is
 *   not known. A run that goes on then waits as before.
 */
export async function openRun(
  agent: AgentSpec,
  opened: OpenedSession,
  progress: Progress,
  ledger: Ledger,
): Promise<Run> {
  try {
    return await readyRun(agent, opened, progress, ledger)
  } catch (error) {
    const { turn, waiting, scope } = opened
    // One whose time is used up would be out of time whenever it went on.
    const isSpent = scope.signal.aborted && abortError(scope.signal).code === 'budget'
    if (waiting && !isSpent) {
      const approvals = openApprovals(waitingCalls(progress.messages), progress.steps, parkedIn(waiting))
      await storeWaiting(turn, waiting, progress, approvals, scope.signal)
    }
    throw error
  }
}

/** A run of an agent in a session that is open; also of one that a conversation is handed to. */
export async function readyRun(
  agent: AgentSpec,
  { turn, scope, waiting, moved, place }: OpenedSession,
  progress: Progress,
  ledger: Ledger,
  at: readonly string[] = [],
): Promise<Run> {
  const { chain, retry, modelTimeoutMs } = agent
  const { signal, emit } = scope
  const { warnings } = progress
  const { toolBox, warnings: ofTools } = await agent.tools(signal)
  // A run that continues has these already.
  warnings.push(...ofTools, ...(waiting ? [] : (agent.inVain ?? [])))
  const format = agent.outputFormat && (await untilAborted(signal, agent.outputFormat()))
  for (const { budget } of ledger.books) {
    if (budget.usd === undefined) continue
    const loads = await untilAborted(signal, Promise.allSettled(chain.models.map(async (model) => model.load?.())))
    // One that cannot be had is missed when it is asked, not before.
    checkPriced(
      chain.models.filter((_, index) => loads[index]?.status === 'fulfilled'),
      ledger.prices,
      budget,
      true,
    )
  }
  const hookContext = hookContextOf(scope)
  const asker: Asker = {
    chain,
    model: await chooseModel(chain, emit),
    retry,
    modelTimeoutMs,
    ledger,
    signal,
    emit,
  }
  const summarise = async (messages: Message[], maxOutputTokens?: number): Promise<string> => {
    const { beforeModel } = agent.hooks
    const question = maxOutputTokens === undefined ? { messages } : { messages, maxOutputTokens }
    const requestFor = async (model: Model) => {
      const request = (await passHook('beforeModel', beforeModel, question, hookContext)).value
      // One that takes over may have less room than the one that it was made for.
      if (!hasRoomFor(request, model)) throw new AgentKitError('context-overflow', `"${model.id}" has too little room.`)
      return request
    }
    return (await askModel(asker, { emit: () => undefined, requestFor })).text
  }
  const conversation = createConversation({
    instruction: agent.instruction,
    history: turn.history,
    messages: waiting ? withoutLastResults(progress.messages) : [...progress.messages],
    compaction: waiting ? waiting.compaction : stateOf(turn).compaction,
    summarise,
    preferred: chain.models[0],
    onCompacted: (compaction) => untilAborted(signal, turn.append([], { ...stateOf(turn), compaction })),
    warnings,
  })
  if (moved) await conversation.rebase(turn.history)
  const guard = createGuard(agent.guard)
  const inside: Inside = {
    memberPath: place?.memberPath ?? scope.member?.memberPath ?? agent.id,
    scope,
    store: place?.store ?? scope.member?.store ?? agent.sessions,
    turn,
    progress,
    asker,
    summarise,
    parked: parkedIn(waiting),
    decided: new Map(),
    failures: new Map(),
    // Of who has the conversation: not of those around it.
    handedTo: agent.drive ? undefined : waiting?.handedTo,
    summary: undefined,
  }
  const shared = { guard, asker, conversation, toolBox, format, hookContext, inside, at }
  const stepsBefore = waiting ? (waiting.stepsBefore ?? 0) : at.length > 0 ? progress.steps : 0
  return { agent, scope, turn, progress, ledger, ...shared, waiting, stepsBefore, finalTool: undefined }
}

/** The results of calls that are still being answered are added once all of them are. */
function withoutLastResults(messages: readonly Message[]): Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role !== 'tool') + 1)
}

function hasRoomFor(request: ModelRequest, { info }: Model): boolean {
  const { contextWindow = Number.POSITIVE_INFINITY } = info ?? {}
  return estimateRequest(request, info) + (request.maxOutputTokens ?? 0) <= contextWindow
}

/** The state of a session as the object that it is. */
export function stateOf({ state }: OpenTurn): { [key: string]: JSONValue } {
  return typeof state === 'object' && state !== null && !Array.isArray(state) ? state : {}
}

/** Whose run it must be, where the caller says so. */
function ownerOf({ userId }: RunScope): { userId?: string } {
  return userId === anyUser ? {} : { userId }
}

function hookContextOf({ runId, userId, sessionId, signal }: RunScope): HookContext {
  return { runId, userId, ...(sessionId === undefined ? {} : { sessionId }), signal }
}
