import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Model, ModelEvent, ModelRequest } from '../contracts/model.ts'
import { AgentKitError, abortError, assertNever, isAgentKitError, messageOf } from '../data/errors.ts'
import type { Emit } from '../data/event.ts'
import type { JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import { type CallWatch, watchSilence } from '../policies/deadline.ts'
import { passed } from '../policies/ledger.ts'
import { type Reply, textOf } from '../runs/reply.ts'
import { untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { redactSecrets } from '../util/redact.ts'
import { brokenStream, checkEvent, checkStream, nameOf } from './check-event.ts'
import { rawFailure } from './raw-failure.ts'

export type CallBounds = {
  /** The longest silence of the model, in milliseconds. */
  silenceMs?: number
  /** The longest answer that the budget allows, in tokens. */
  answerTokens?: number | undefined
}

/**
 * One model call: its deltas are told as they come, its end is checked.
 * @param reply an empty reply, which this fills
 * @throws AgentKitError whatever the model throws, `incomplete-stream` when it ends without a finish, `timeout` when it
 *   is silent for too long, `budget` when it goes past the answer that its budget allows
 */
export function callModel(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  emit: Emit,
  reply: Reply,
  { silenceMs = limits.modelTimeoutMs, answerTokens }: CallBounds = {},
): Promise<void> {
  if (signal.aborted) return Promise.reject(abortError(signal))
  const watch = watchSilence(signal, silenceMs, model.id)
  const reading = readReply(model, request, watch, emit, reply, answerTokens)
  return untilAborted(watch.signal, reading).finally(watch.stop)
}

async function readReply(
  model: Model,
  request: ModelRequest,
  { signal, heard, hold }: CallWatch,
  emit: Emit,
  reply: Reply,
  answerTokens: number | undefined,
): Promise<void> {
  let finished = false
  let chars = 0
  const mostChars = mostCharsOf(answerTokens)
  const breath = breather()
  try {
    const stream = checkStream(model.stream(request, signal), model)
    for await (const first of stream) {
      for (let event: ModelEvent | undefined = first; event !== undefined; event = stream.ready?.()) {
        if (breath.isDue()) await nextTurn()
        // A provider that goes on after an abort must not be heard any more.
        if (signal.aborted) throw abortError(signal)
        if (finished) throw brokenStream(model, 'malformed-stream', 'went on after its finish')
        const checked = checkEvent(event, reply.calls, model)
        chars += checked.chars
        // A call is all there, or there is none.
        if (event.type === 'tool-call' && chars > mostChars) throw tooLong(model, mostChars, answerTokens)
        heard()
        reply.heard = true
        finished = event.type === 'finish'
        const full = hear(checked.event, reply, emit)
        if (full !== undefined) {
          hold()
          await full
          heard()
        }
        if (Math.max(chars, reply.text.length) > mostChars) throw tooLong(model, mostChars, answerTokens)
      }
    }
  } catch (error) {
    throw modelError(error, model, signal)
  }
  if (signal.aborted) throw abortError(signal)
  if (!finished) throw brokenStream(model, 'incomplete-stream', 'ended without a finish')
}

function mostCharsOf(answerTokens: number = Number.POSITIVE_INFINITY): number {
  return Math.min(limits.replyChars, (answerTokens + limits.leastAnswerTokens) * limits.charsPerToken)
}

/** A model that does not keep to its bound, or has lost itself. */
function tooLong(model: Model, mostChars: number, answerTokens: number | undefined): AgentKitError {
  if (mostChars < limits.replyChars) throw passed(`the answer of "${model.id}" went past its ${answerTokens} tokens`)
  const message = `The answer of "${model.id}" is longer than ${mostChars} characters, more than any model writes.`
  return new AgentKitError('malformed-stream', message, { retryable: false, ...nameOf(model) })
}

/** A source that never waits would keep timers, aborts and everybody else from their turn. */
function breather(): { isDue(): boolean } {
  let events = 0
  let lastBreath = performance.now()
  return {
    isDue() {
      if (++events % 256 !== 0 || performance.now() - lastBreath < 20) return false
      lastBreath = performance.now()
      return true
    },
  }
}

function hear(event: ModelEvent, reply: Reply, emit: Emit): Promise<void> | undefined {
  switch (event.type) {
    case 'text-delta':
      return hearText(event.text, reply, emit)
    case 'reasoning-delta':
      reply.reasoning += event.text
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
      // A model that tells no deltas still answers.
      return reply.text === '' ? hearText(textOf(event.message), reply, emit) : undefined
    default:
      return assertNever(event)
  }
}

function hearText(text: string, reply: Reply, emit: Emit): Promise<void> | undefined {
  if (text === '') return undefined
  reply.text += text
  return emit({ type: 'text-delta', text })
}

/** What a model has thrown as an AgentKitError; that of the signal where that has ended. */
export function modelError(error: unknown, model: Model, signal: AbortSignal): AgentKitError {
  if (signal.aborted) return abortError(signal)
  if (isAgentKitError(error)) return error
  const message = redactSecrets(messageOf(error)) || 'it threw without a message.'
  const { code, details } = rawFailure(error)
  return new AgentKitError(code, `The model "${model.id}" failed: ${message}`, {
    cause: error,
    ...details,
    ...nameOf(model),
  })
}
