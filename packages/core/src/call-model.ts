import { untilAborted } from './abort.ts'
import { cloneJSON } from './clone-json.ts'
import { AgentKitError, abortError, assertNever, isAgentKitError, messageOf } from './errors.ts'
import type { AgentEventBody } from './event.ts'
import type { AssistantMessage, JSONValue } from './message.ts'
import type { Model, ModelEvent, ModelFinishReason, ModelRequest } from './model.ts'
import { redactSecrets } from './redact.ts'
import type { ToolCall } from './run-tools.ts'
import { toolCalls } from './transcript.ts'
import type { Usage } from './usage.ts'

/** Tells listeners of the run; a promise when they should be waited for. */
export type Emit = (event: AgentEventBody) => Promise<void> | undefined

/** What a model answered. It grows while the model speaks, so that an aborted call leaves what there is. */
export type Reply = {
  text: string
  calls: ToolCall[]
  reason: ModelFinishReason
  usage: Usage
  message: AssistantMessage
  warnings: string[]
}

/**
 * One model call: its deltas are told as they come, its end is checked.
 * @param reply an empty reply, which this fills
 * @throws AgentKitError whatever the model throws, `incomplete-stream` when it ends without a finish
 */
export function callModel(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  emit: Emit,
  reply: Reply,
): Promise<void> {
  if (signal.aborted) return Promise.reject(abortError(signal))
  return untilAborted(signal, readReply(model, request, signal, emit, reply))
}

type FinishEvent = Extract<ModelEvent, { type: 'finish' }>

export function emptyReply(): Reply {
  return {
    text: '',
    calls: [],
    reason: 'stop',
    usage: {},
    message: { v: 1, role: 'assistant', content: [] },
    warnings: [],
  }
}

async function readReply(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  emit: Emit,
  reply: Reply,
): Promise<void> {
  let finished = false
  try {
    const stream = model.stream(request, signal)
    for await (const first of stream) {
      for (let event: ModelEvent | undefined = first; event; event = stream.ready?.()) {
        // A provider that goes on after an abort must not be heard any more.
        if (signal.aborted) throw abortError(signal)
        if (finished) throw brokenStream(model, 'malformed-stream', 'went on after its finish')
        if (event.type === 'finish') finished = checkFinish(event, reply, model)
        const full = hear(event, reply, emit)
        if (full !== undefined) await full
      }
    }
  } catch (error) {
    throw modelError(error, model, signal)
  }
  if (signal.aborted) throw abortError(signal)
  if (!finished) throw brokenStream(model, 'incomplete-stream', 'ended without a finish')
}

function hear(event: ModelEvent, reply: Reply, emit: Emit): Promise<void> | undefined {
  switch (event.type) {
    case 'text-delta':
      reply.text += event.text
      return emit({ type: 'text-delta', text: event.text })
    case 'reasoning-delta':
      return emit({ type: 'reasoning-delta', text: event.text })
    case 'tool-call': {
      reply.calls.push(event)
      const { callId, name } = event
      // Its own copy: what a listener does to it must not reach the tool or the history.
      const input = cloneJSON((event.invalid === undefined ? event.input : event.inputText) as JSONValue)
      return emit({ type: 'tool-call', callId, name, input })
    }
    case 'warning':
      reply.warnings.push(event.message)
      return undefined
    case 'finish':
      reply.reason = event.reason
      reply.usage = event.usage
      reply.message = event.message
      if (event.warnings) reply.warnings.push(...event.warnings)
      return undefined
    default:
      return assertNever(event)
  }
}

/** What the message holds must be what was told: its calls become history, and history must be valid. */
function checkFinish({ usage, message }: FinishEvent, reply: Reply, model: Model): true {
  if (!usage || !Array.isArray(message?.content)) throw brokenStream(model, 'malformed-stream', 'has no message')
  const told = reply.calls.map((call) => call.callId)
  const kept = toolCalls(message).map((call) => call.callId)
  const same = told.length === kept.length && told.every((callId, index) => callId === kept[index])
  if (!same || new Set(told).size < told.length || told.includes('')) {
    throw brokenStream(model, 'malformed-stream', 'has tool calls without an id of their own')
  }
  return true
}

function brokenStream(model: Model, code: 'incomplete-stream' | 'malformed-stream', what: string): AgentKitError {
  return new AgentKitError(code, `The answer of "${model.id}" ${what}.`, { retryable: true, ...nameOf(model) })
}

function modelError(error: unknown, model: Model, signal: AbortSignal): AgentKitError {
  if (signal.aborted) return abortError(signal)
  if (isAgentKitError(error)) return error
  const message = redactSecrets(messageOf(error))
  return new AgentKitError('provider-error', `The model "${model.id}" failed: ${message}`, {
    cause: error,
    ...nameOf(model),
  })
}

function nameOf({ id }: Model): { provider: string; model: string } {
  const [provider = '', ...model] = id.split('/')
  return { provider, model: model.join('/') }
}
