import { isTooLong } from './check-id.ts'
import { AgentKitError } from './errors.ts'
import { limits } from './limits.ts'
import type { JSONValue } from './message.ts'
import type { Model, ModelEvent, ModelStream } from './model.ts'
import type { ToolCall } from './run-tools.ts'
import { toolCalls } from './transcript.ts'

/**
 * Checks what a model hands out, before anything is made of it: a Model is anybody's code.
 * @param calls what was told before
 * @throws AgentKitError `malformed-stream`, saying what the event lacks
 */
export function checkEvent(event: ModelEvent, calls: readonly ToolCall[], model: Model): void {
  const type: unknown = event?.type
  switch (event?.type) {
    case 'text-delta':
    case 'reasoning-delta':
      if (typeof event.text !== 'string') throw malformed(model, `told a ${event.type} without text`)
      break
    case 'tool-call':
      checkCall(event, calls, model)
      break
    case 'warning':
      break
    case 'finish':
      checkFinish(event, calls, model)
      break
    default:
      throw malformed(model, `told an event of type ${JSON.stringify(type) ?? 'none'}, which there is not`)
  }
}

/** @throws AgentKitError `malformed-stream` for what cannot be iterated, with the likely fix */
export function checkStream(stream: ModelStream, model: Model): ModelStream {
  if (typeof stream?.[Symbol.asyncIterator] === 'function') return stream
  // A promise, from a forgotten `*`: what it rejects with would otherwise be nobody's.
  Promise.resolve(stream).catch(() => {})
  throw malformed(model, 'is no async iterable: write `async *stream(request, signal) { … }`', 'the stream')
}

const finishReasons: readonly unknown[] = ['stop', 'tool-calls', 'length', 'content-filter']

type FinishEvent = Extract<ModelEvent, { type: 'finish' }>

function checkFinish({ reason, usage, message }: FinishEvent, calls: readonly ToolCall[], model: Model): void {
  if (!finishReasons.includes(reason)) throw malformed(model, `finished for the reason ${JSON.stringify(reason)}`)
  if (typeof usage !== 'object' || usage === null || !Array.isArray(message?.content)) {
    throw malformed(model, 'finished without a usage and a message')
  }
  // The message becomes history, so its calls must be those that were told, which will have results.
  const told = calls.map(({ callId }) => callId)
  const kept = toolCalls(message).map(({ callId }) => callId)
  if (told.length !== kept.length || told.some((callId, index) => callId !== kept[index])) {
    throw malformed(model, 'finished with other tool calls than it told')
  }
}

function checkCall({ callId, name, input }: ToolCall, calls: readonly ToolCall[], model: Model): void {
  const known = typeof callId !== 'string' || callId === '' || calls.some((call) => call.callId === callId)
  if (known) throw malformed(model, 'told a tool call without an id of its own')
  if (isTooLong(callId)) throw malformed(model, `told a tool call whose id is longer than ${limits.idBytes} bytes`)
  if (typeof name !== 'string' || name === '') throw malformed(model, 'told a tool call without a name')
  if (input !== undefined && !isJSON(input)) throw malformed(model, `told a call of "${name}" whose input is no JSON`)
}

function isJSON(value: unknown, depth = 0): value is JSONValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > 1000) return false
  return Object.values(value).every((child) => child === undefined || isJSON(child, depth + 1))
}

function malformed(model: Model, what: string, who = 'it'): AgentKitError {
  return brokenStream(model, 'malformed-stream', `does not keep to the rules of a Model: ${who} ${what}`)
}

/** An answer that is not what a Model may give. */
export function brokenStream(
  model: Model,
  code: 'incomplete-stream' | 'malformed-stream',
  what: string,
): AgentKitError {
  return new AgentKitError(code, `The answer of "${model.id}" ${what}.`, { retryable: true, ...nameOf(model) })
}

/** Who a model is, as errors tell it. */
export function nameOf({ id }: Model): { provider: string; model: string } {
  const [provider = '', ...model] = id.split('/')
  return { provider, model: model.join('/') }
}
