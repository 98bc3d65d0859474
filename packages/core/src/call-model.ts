import { untilAborted } from './abort.ts'
import { AgentKitError, abortError, assertNever, isAgentKitError } from './errors.ts'
import type { AgentEventBody } from './event.ts'
import type { AssistantMessage } from './message.ts'
import type { Model, ModelFinishReason, ModelRequest } from './model.ts'
import { redactSecrets } from './redact.ts'
import type { ToolCall } from './run-tools.ts'
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
    for await (const event of model.stream(request, signal)) {
      // A provider that goes on after an abort must not be heard any more.
      if (signal.aborted) throw abortError(signal)
      if (finished) throw brokenStream(model, 'malformed-stream', 'went on after its finish')
      switch (event.type) {
        case 'text-delta': {
          reply.text += event.text
          const full = emit({ type: 'text-delta', text: event.text })
          if (full !== undefined) await full
          break
        }
        case 'reasoning-delta':
          await emit({ type: 'reasoning-delta', text: event.text })
          break
        case 'tool-call': {
          reply.calls.push(event)
          const input = event.invalid === undefined ? event.input : event.inputText
          await emit({ type: 'tool-call', callId: event.callId, name: event.name, input })
          break
        }
        case 'warning':
          reply.warnings.push(event.message)
          break
        case 'finish':
          finished = true
          reply.reason = event.reason
          reply.usage = event.usage
          reply.message = event.message
          if (event.warnings) reply.warnings.push(...event.warnings)
          break
        default:
          assertNever(event)
      }
    }
  } catch (error) {
    throw modelError(error, model, signal)
  }
  if (signal.aborted) throw abortError(signal)
  if (!finished) throw brokenStream(model, 'incomplete-stream', 'ended without a finish')
}

function brokenStream(model: Model, code: 'incomplete-stream' | 'malformed-stream', what: string): AgentKitError {
  return new AgentKitError(code, `The answer of "${model.id}" ${what}.`, { retryable: true, ...nameOf(model) })
}

function modelError(error: unknown, model: Model, signal: AbortSignal): AgentKitError {
  if (signal.aborted) return abortError(signal)
  if (isAgentKitError(error)) return error
  const message = redactSecrets(error instanceof Error ? error.message : String(error))
  return new AgentKitError('provider-error', `The model "${model.id}" failed: ${message}`, {
    cause: error,
    ...nameOf(model),
  })
}

function nameOf({ id }: Model): { provider: string; model: string } {
  const slash = id.indexOf('/')
  return { provider: id.slice(0, slash), model: id.slice(slash + 1) }
}
