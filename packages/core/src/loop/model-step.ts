import type { Model, ModelRequest } from '../contracts/model.ts'
import { settingsFor } from '../contracts/model-settings.ts'
import { readToolResult } from '../conversation/long-results.ts'
import { planCache, rereadWarning } from '../conversation/prompt-cache.ts'
import { isAgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { emptyReply, type Reply } from '../runs/reply.ts'
import { askForOutput, finalToolName, outputStrategy } from '../schema/structured-output.ts'
import { withTools } from '../tools/toolbox.ts'
import { untilAborted } from '../util/async/abort.ts'
import { callCost } from './model/call-usage.ts'
import { callWithFallback } from './model/call-with-fallback.ts'
import { checkReply } from './model/check-reply.ts'
import { eventGate, eventsOf, gateMode } from './model/event-gate.ts'
import { hookedRequest } from './model/hooked-request.ts'
import { emitStepStart } from './run/interrupted-step.ts'
import type { Run, StepOutcome } from './run/types.ts'
import { hiddenCalls } from './tools/refused-calls.ts'

/** Calls the model for the next step, emits its reply as far as hooks allow, and stores it. */
export async function modelStep(run: Run): Promise<StepOutcome> {
  const { state, scope, conversation } = run
  const step = state.steps + 1
  await emitStepStart(scope, step)
  state.reply = emptyReply()
  const calls = state.callsOfStep + 1
  const gate = eventGate(scope.emit, step)
  let sent: { model: Model; request: ModelRequest } | undefined
  const reply = await callWithFallback(run, {
    step,
    emit: gate.emit,
    requestFor: async (model) => {
      const request = await requestFor(run, model)
      sent = { model, request }
      state.callsOfStep = calls
      return request
    },
    makeRoom: (model) => conversation.makeRoom(model),
    begin(attempt) {
      // A reply that is not checked yet must not become the answer, also when the run is stopped now.
      state.reply = gate.restart(attempt, gateMode(run))
    },
  })
  state.steps = step
  state.callsOfStep = 0
  // A model repeats its warnings in each step.
  for (const warning of reply.warnings) if (!state.warnings.includes(warning)) state.warnings.push(warning)
  if (sent && run.cacheKey !== undefined) keepAnswered(run, sent, reply)
  const hidden = sent && hiddenCalls(run, sent.request, reply.calls)
  if (hidden) reply.hidden = hidden
  const { changed, again } = await checkReply(run, reply).catch(async (error) => {
    // The call is counted, though its answer ends the run.
    if (isAgentKitError(error) && !scope.signal.aborted) await emitStepEnd(run, reply)
    throw error
  })
  if (again) {
    await gate.withdraw()
    conversation.addUnstored(again)
    return { type: 'try-again', reply }
  }
  state.reply = reply
  if (gate.isHolding()) await gate.release(changed ? eventsOf(reply) : undefined, run.finalTool)
  await storeReply(run, reply)
  return { type: reply.calls.length > 0 ? 'tool-calls' : 'answer', reply }
}

/** Emits the end of the step whose model has answered so. */
export async function emitStepEnd(run: Run, { reason: finishReason, usage, message }: Reply): Promise<void> {
  const model = message.model ?? run.model.id
  const cost = callCost(run, model, usage)
  await run.scope.emit({ type: 'step-end', step: run.state.steps, model, finishReason, usage, ...(cost && { cost }) })
}

export async function storeReply({ scope, turn, state, conversation }: Run, { message }: Reply): Promise<void> {
  if (message.content.length === 0) return
  if (turn.addReply) turn.addReply(message)
  else await untilAborted(scope.signal, turn.append([message]))
  state.messages.push(message)
  conversation.add(message)
}

/** The request of the next step: the conversation as it fits, the tools, the form of the answer. */
async function requestFor(run: Run, model: Model): Promise<ModelRequest> {
  const { conversation } = run
  let request = await conversation.requestFor(model, requestOptions(run, model))
  // Offered from the first request on where it is likely to be needed: a change of the tools clears a provider's cache.
  const isNeeded = conversation.hasLongResults() || (run.toolBox.specs.length > 0 && conversation.hasBegunLong())
  if (isNeeded && (await offerReadTool(run))) {
    request = await conversation.requestFor(model, requestOptions(run, model))
  }
  run.finalTool = finalToolOf(run, model)
  request = await hookedRequest(run, request)
  const { cacheKey: key, finalTool, scope } = run
  const answerTool = gateMode(run) === 'draft' && scope.isFollowed() ? finalTool : undefined
  const cache = planCache(request, { key, isKept: scope.sessionId !== undefined, finalTool })
  return { ...request, ...(cache && { cache }), ...(answerTool !== undefined && { answerTool }) }
}

/** Compares a request with the one before, of which providers keep the beginning. */
function keepAnswered(run: Run, { model, request }: { model: Model; request: ModelRequest }, { usage }: Reply): void {
  const { state, agent, conversation } = run
  const sequence = `${run.path.join('/') || agent.id} ${model.id}`
  const before = state.answered.get(sequence)
  const { inputTokens, cachedInputTokens } = usage
  const { notes } = conversation
  const shown = { notes, compaction: conversation.compaction(), unstored: conversation.unstored().length }
  const now = { request, inputTokens, cachedInputTokens, ...shown }
  state.answered.set(sequence, now)
  const warning = before && rereadWarning(state.steps, before, now)
  if (warning !== undefined) state.warnings.push(warning)
}

function requestOptions({ agent, state, toolBox, format }: Run, { info }: Model): Omit<ModelRequest, 'messages'> {
  const tools = toolBox.specs
  const hasTools = tools.length > 0
  const settings = settingsFor(agent.modelSettings, { isFirst: state.steps === 0, hasTools })
  const options = hasTools ? { ...settings, tools } : settings
  if (!format) return options
  const { messages: _, ...withOutput } = askForOutput(
    { messages: [], ...options },
    format,
    outputStrategy(info, hasTools),
  )
  return withOutput
}

/** The tool that takes the answer, if this model needs one. */
function finalToolOf({ format, toolBox: { specs } }: Run, { info }: Model): string | undefined {
  const isNeeded = format !== undefined && outputStrategy(info, specs.length > 0) === 'final-tool'
  return isNeeded ? finalToolName(specs) : undefined
}

/** Adds the tool that reads long results in parts. @returns whether it is new */
export async function offerReadTool(run: Run): Promise<boolean> {
  const { conversation, toolBox } = run
  // A part that is too long for a result would be cut again.
  const maxTokens = limits.toolResultBytes / 4
  const tool = readToolResult(
    (callId) => conversation.findResult(callId),
    () => Math.min(conversation.resultTokens(), maxTokens),
  )
  if (toolBox.byName.has(tool.name)) return false
  run.toolBox = await withTools(toolBox, [tool])
  return true
}
