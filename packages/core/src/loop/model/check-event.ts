import type { Model, ModelEvent, ModelStream, ToolCall } from '../../contracts/model.ts'
import { isTooLong } from '../../data/check-id.ts'
import { AgentKitError } from '../../data/errors.ts'
import { messageProblem } from '../../data/message-problem.ts'
import { toolCalls } from '../../data/transcript.ts'
import { limits } from '../../limits.ts'
import { type MeasuredJSON, measureJSON } from '../../util/json/measure-json.ts'
import { brokenStream, nameOf } from './model-error.ts'

/**
 * Checks the events of a model before they are used: any code can implement a Model.
 * @param calls the earlier calls of the answer
 * @returns the characters that the event adds to the answer, and the event: a call with too many arguments is replaced
 *   by an invalid call
 * @throws AgentKitError `malformed-stream`, saying what the event lacks
 */
export function checkEvent(
  event: ModelEvent,
  calls: readonly ToolCall[],
  model: Model,
): { event: ModelEvent; chars: number } {
  const type: unknown = event?.type
  switch (event?.type) {
    case 'text-delta':
    case 'reasoning-delta':
      if (typeof event.text !== 'string') throw malformed(model, `sent a ${event.type} without text`)
      return { event, chars: event.text.length }
    case 'tool-input-delta':
      checkCallId(event.callId, 'sent a tool-input-delta', calls, model)
      if (typeof event.text !== 'string') throw malformed(model, `sent a ${event.type} without text`)
      // The call has the same characters.
      return { event, chars: 0 }
    case 'tool-call':
      return checkCall(event, calls, model)
    case 'warning':
      if (typeof event.message !== 'string') throw malformed(model, 'sent a warning without a message')
      // At least one, so that empty warnings without an end have one.
      return { event, chars: event.message.length + 1 }
    case 'finish':
      return { event: checkFinish(event, calls, model), chars: 0 }
    default:
      throw malformed(model, `sent an event of the unknown type ${JSON.stringify(type) ?? 'none'}`)
  }
}

/** @throws AgentKitError `malformed-stream` for what cannot be iterated, with the likely fix */
export function checkStream(stream: ModelStream, model: Model): ModelStream {
  if (typeof stream?.[Symbol.asyncIterator] === 'function') return stream
  // A promise, from a forgotten `*`: its rejection would otherwise be unhandled.
  Promise.resolve(stream).catch(() => {})
  throw malformed(model, 'is not an async iterable: write `async *stream(request, signal) { … }`', 'the stream')
}

const finishReasons: readonly unknown[] = ['stop', 'tool-calls', 'length', 'content-filter']

type FinishEvent = Extract<ModelEvent, { type: 'finish' }>

function checkFinish(event: FinishEvent, calls: readonly ToolCall[], model: Model): FinishEvent {
  const { reason, usage, message, warnings = [] } = event
  if (!finishReasons.includes(reason)) throw malformed(model, `finished for the reason ${JSON.stringify(reason)}`)
  if (typeof usage !== 'object' || usage === null || !Array.isArray(message?.content)) {
    throw malformed(model, 'finished without a usage and a message')
  }
  if (!message.content.every(isPart)) throw malformed(model, 'finished with a message whose parts are none')
  const role: unknown = message.role
  if (role !== 'assistant') {
    throw malformed(model, `finished with a message whose \`role\` is ${JSON.stringify(role)}, not "assistant"`)
  }
  if (!Array.isArray(warnings)) throw malformed(model, 'finished with warnings that are not a list')
  if (warnings.length > mostWarnings) throw tooMany(model, `has more than ${mostWarnings} warnings`)
  for (const warning of warnings) {
    if (typeof warning !== 'string') throw malformed(model, 'finished with a warning that is not text')
  }
  // The message becomes history, so its calls must be those that were sent before, which will have results.
  const sent = calls.map(({ callId }) => callId)
  const kept = toolCalls(message).map(({ callId }) => callId)
  if (sent.length !== kept.length || sent.some((callId, index) => callId !== kept[index])) {
    throw malformed(model, 'finished with other tool calls than it sent before')
  }
  const unread = new Map(calls.map((call) => [call.callId, unreadInput(call)]))
  const content = message.content.map((part) => {
    if (part.type !== 'tool-call') return part
    const inputText = unread.get(part.callId)
    if (inputText !== undefined) return { ...part, input: {}, inputText }
    return part.input === undefined ? { ...part, input: {} } : part
  })
  const { chars, problem } = measureJSON(content, messageBounds)
  if (problem === 'no-json') throw malformed(model, 'finished with a message that is not JSON')
  if (problem !== undefined || chars > limits.replyMessageChars) {
    throw tooMany(model, `ends with a message of more than ${limits.replyMessageChars} characters or ${deepest} levels`)
  }
  // Usage, histories and other models ask which model has written a message.
  const written = { ...message, model: message.model ?? model.id, content }
  const wrong = messageProblem(written)
  if (wrong !== undefined) throw malformed(model, `finished with a message that cannot be stored: ${wrong}`)
  return { ...event, usage: { ...usage }, message: written }
}

/** Warnings of the event that ends an answer. */
const mostWarnings = 1000

/** The depth that stores accept. Characters are bounded apart. */
const deepest = 1000
const messageBounds = { depth: deepest, values: 1_000_000 }

function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false
  if (part.type === 'tool-call') return 'name' in part && typeof part.name === 'string'
  return (part.type === 'text' || part.type === 'reasoning') && 'text' in part && typeof part.text === 'string'
}

function checkCall(call: ToolCall, calls: readonly ToolCall[], model: Model): { event: ToolCall; chars: number } {
  const { callId, name, input, inputText = '', invalid } = call
  checkCallId(callId, 'sent a tool call', calls, model)
  if (typeof name !== 'string' || name === '') throw malformed(model, 'sent a tool call without a name')
  if (calls.length >= limits.toolCallsPerAnswer) {
    throw tooMany(model, `has more than ${limits.toolCallsPerAnswer} tool calls`)
  }
  const { chars, problem }: MeasuredJSON = input === undefined ? { chars: 0 } : measureJSON(input, argumentBounds)
  if (problem === 'no-json' || typeof inputText !== 'string') {
    throw malformed(model, `sent a call of "${name}" whose input is not JSON`)
  }
  const size = callId.length + name.length + chars + inputText.length + String(invalid ?? '').length
  // Some models send no arguments for a tool that takes none.
  const isWithout = input === undefined && inputText === '' && invalid === undefined
  if (problem === undefined) return { event: isWithout ? { ...call, input: {} } : call, chars: size }
  return {
    event: {
      type: 'tool-call',
      callId,
      name,
      input: undefined,
      inputText: `[${argumentProblem}]`,
      invalid: argumentProblem,
    },
    chars: size,
  }
}

/** @param what the event that has the id */
function checkCallId(callId: unknown, what: string, calls: readonly ToolCall[], model: Model): void {
  const isOwn = typeof callId === 'string' && callId !== '' && calls.every((other) => other.callId !== callId)
  if (!isOwn) throw malformed(model, `${what} without an id of its own`)
  if (isTooLong(callId)) throw malformed(model, `${what} whose id is longer than ${limits.idBytes} bytes`)
}

const argumentBounds = { depth: limits.argumentDepth, values: limits.argumentValues }

/** Why the arguments of a call are not checked. */
export const argumentProblem: string = `more than ${limits.argumentValues} fields and items, or nested deeper than ${limits.argumentDepth} levels`

/** The text of arguments that could not be read, or in place of those that were not checked. */
function unreadInput({ invalid, inputText = '' }: ToolCall): string | undefined {
  return invalid === undefined ? undefined : inputText
}

/** Not retryable: another attempt would cost as much again. */
function tooMany(model: Model, what: string): AgentKitError {
  const message = `The answer of "${model.id}" ${what}, more than any model writes.`
  return new AgentKitError('malformed-stream', message, { retryable: false, ...nameOf(model) })
}

function malformed(model: Model, what: string, who = 'it'): AgentKitError {
  return brokenStream(model, 'malformed-stream', `does not keep to the rules of a Model: ${who} ${what}`)
}
