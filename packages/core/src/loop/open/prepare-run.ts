import type { Model, ModelRequest } from '../../contracts/model.ts'
import { notCompacted } from '../../conversation/compacted-view.ts'
import { Conversation } from '../../conversation/conversation.ts'
import { cacheKey } from '../../conversation/prompt-cache.ts'
import { AgentKitError } from '../../data/errors.ts'
import type { JSONValue, Message } from '../../data/message.ts'
import type { ModelChain } from '../../policies/fallback.ts'
import { applyHook, type HookContext } from '../../policies/hooks.ts'
import type { Ledger } from '../../policies/ledger.ts'
import { checkPriced } from '../../policies/price.ts'
import { placeOf } from '../../runs/decisions/approval-id.ts'
import { failuresOf, suspendedMembers } from '../../runs/snapshot.ts'
import { snapshotOf } from '../../runs/take-snapshot.ts'
import { sessionState } from '../../sessions/open-turn.ts'
import { estimateRequest } from '../../tokens/estimate-tokens.ts'
import { checkClientTools, withClientTools } from '../../tools/client-tools.ts'
import { withToolInstructions } from '../../tools/toolbox.ts'
import { untilAborted } from '../../util/async/abort.ts'
import { callWithFallback, type ModelCaller } from '../model/call-with-fallback.ts'
import { chooseModel } from '../model/choose-model.ts'
import type { OpenedRun, Run, RunScope } from '../run/types.ts'
import { guardOf } from '../tools/guard-of.ts'

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

export function hookContextOf({ runId, userId, sessionId, signal, memberRun }: RunScope): HookContext {
  // The run that a member belongs to, as if it were a part of it.
  return { runId: memberRun?.rootRunId ?? runId, userId, ...(sessionId === undefined ? {} : { sessionId }), signal }
}

/** What is stored of a run from now on, until it has ended. */
export function describe({ turn, ledger, scope }: OpenedRun, snapshot: () => JSONValue): void {
  turn.describe?.({ snapshot, usage: () => ledger.spent.usage, seq: () => scope.events?.lastSeq() ?? 0 })
}
