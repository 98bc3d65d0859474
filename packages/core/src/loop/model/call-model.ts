import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Model, ModelEvent, ModelRequest } from '../../contracts/model.ts'
import { AgentKitError, abortError, assertNever } from '../../data/errors.ts'
import type { JSONValue } from '../../data/message.ts'
import { limits } from '../../limits.ts'
import { budgetError } from '../../policies/account.ts'
import type { CallWatch } from '../../policies/deadline.ts'
import { type Reply, textOf, withText } from '../../runs/reply.ts'
import { cloneJSON } from '../../util/json/clone-json.ts'
import { checkEvent, checkStream } from './check-event.ts'
import type { EmitOfCall } from './event-gate.ts'
import { brokenStream, modelError, nameOf } from './model-error.ts'

export type Attempt = {
  model: Model
  request: ModelRequest
  emit: EmitOfCall
  /** An empty reply, which the call fills. */
  reply: Reply
  /** Aborts with the run and when the model is silent for too long. */
  watch: CallWatch
  /** The longest answer that the budget allows, in tokens. */
  answerTokens: number | undefined
}

/**
 * One model call: checks each event, adds it to the reply and emits it.
 * @throws AgentKitError what the model throws, `incomplete-stream` when it ends without a finish, `malformed-stream` for
 *   events that no model sends, `budget` for an answer that is longer than its budget allows
 */
export async function callModel({ model, request, emit, reply, watch, answerTokens }: Attempt): Promise<void> {
  const { signal } = watch
  let isFinished = false
  let chars = 0
  const maxChars = maxCharsOf(answerTokens)
  const isTimeToYield = yieldTimer()
  try {
    const stream = checkStream(model.stream(request, signal), model)
    for await (const first of stream) {
      for (let event: ModelEvent | undefined = first; event !== undefined; event = stream.ready?.()) {
        if (isTimeToYield()) await nextTurn()
        // A provider may send events after the abort.
        if (signal.aborted) throw abortError(signal)
        if (isFinished) throw brokenStream(model, 'malformed-stream', 'has events after its finish')
        const checked = checkEvent(event, reply.calls, model)
        chars += checked.chars
        // Before the event is emitted: a call is emitted whole or not at all.
        if (event.type === 'tool-call' && chars > maxChars) throw tooLong(model, maxChars, answerTokens)
        watch.received()
        reply.hasBegun = true
        isFinished = event.type === 'finish'
        const room = addEvent(checked.event, reply, emit)
        if (room !== undefined) {
          watch.hold()
          await room
          watch.received()
        }
        if (Math.max(chars, reply.text.length, reply.draftChars) > maxChars)
          throw tooLong(model, maxChars, answerTokens)
      }
    }
  } catch (error) {
    throw modelError(error, model, signal)
  }
  if (signal.aborted) throw abortError(signal)
  if (!isFinished) throw brokenStream(model, 'incomplete-stream', 'ended without a finish')
}

function maxCharsOf(answerTokens: number = Number.POSITIVE_INFINITY): number {
  return Math.min(limits.replyChars, (answerTokens + limits.leastAnswerTokens) * limits.charsPerToken)
}

/** For a model that exceeds its bound, or repeats itself without end. */
function tooLong(model: Model, maxChars: number, answerTokens: number | undefined): AgentKitError {
  if (maxChars < limits.replyChars)
    throw budgetError(`the answer of "${model.id}" went past its ${answerTokens} tokens`)
  const message = `The answer of "${model.id}" is longer than ${maxChars} characters, more than any model writes.`
  return new AgentKitError('malformed-stream', message, { retryable: false, ...nameOf(model) })
}

/** A stream that never waits would keep timers, aborts and other runs from their turn. */
function yieldTimer(): () => boolean {
  let events = 0
  let lastYield = performance.now()
  return () => {
    if (++events % 256 !== 0 || performance.now() - lastYield < 20) return false
    lastYield = performance.now()
    return true
  }
}

/** @returns a promise when the reader of the run's events is too slow */
function addEvent(event: ModelEvent, reply: Reply, emit: EmitOfCall): Promise<void> | undefined {
  switch (event.type) {
    case 'text-delta':
      return addText(event.text, reply, emit)
    case 'reasoning-delta':
      if (event.text === '') return undefined
      reply.reasoning += event.text
      return emit({ type: 'reasoning-delta', text: event.text })
    case 'tool-input-delta':
      reply.draftChars += event.text.length
      return emit(event)
    case 'tool-call': {
      reply.calls.push(event)
      const { callId, name } = event
      // A copy, so that a listener cannot change the input of the tool or the history.
      const input = cloneJSON((event.invalid === undefined ? event.input : event.inputText) as JSONValue)
      return emit({ type: 'tool-call', callId, name, input })
    }
    case 'warning':
      reply.warnings.push(event.message)
      return undefined
    case 'finish':
      reply.reason = event.reason
      reply.usage = event.usage
      reply.message = withText(event.message, reply.text)
      if (event.warnings) reply.warnings.push(...event.warnings)
      // A model may send its text in the finish only.
      return reply.text === '' ? addText(textOf(event.message), reply, emit) : undefined
    default:
      return assertNever(event)
  }
}

function addText(text: string, reply: Reply, emit: EmitOfCall): Promise<void> | undefined {
  if (text === '') return undefined
  reply.text += text
  return emit({ type: 'text-delta', text })
}
