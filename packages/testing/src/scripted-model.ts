import { setTimeout as sleep } from 'node:timers/promises'
import {
  AgentKitError,
  type AssistantPart,
  type Message,
  type Model,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type Usage,
  validateTranscript,
} from '@agentkit/core'
import { abortError, checkOptions, isAny, isText, untilAborted } from '@agentkit/core/internal'
import { checkAnswer, type ScriptedAnswer, type ScriptedToolCall } from './scripted-answer.ts'

/** The answer of a scripted model to one request: text, a full answer, an error, or a function that returns one. */
export type ScriptedTurn =
  | string
  | ScriptedAnswer
  | Error
  | ((request: ModelRequest, signal: AbortSignal) => ScriptedTurn | Promise<ScriptedTurn>)

/** The properties of a scripted model, beside its turns. */
export type ScriptedModelOptions = {
  /** `provider/model`; `test/scripted` when absent. */
  id?: string
  info?: ModelInfo
}

/** A model that plays its script, and records its requests. */
export interface ScriptedModel extends Model {
  /** A copy of each request, in order. */
  readonly requests: readonly ModelRequest[]
}

const defaultUsage: Usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

/**
 * A model that answers from a script, one turn per request, and follows the contract of `Model`. Each request must be a
 * valid transcript.
 *
 * @param turns the answers, in order; a request after the last one is `invalid-argument`
 * @throws AgentKitError `invalid-argument` for something other than a list, and for an unknown option
 * @example
 * const model = scriptedModel([{ toolCalls: [{ name: 'weather', input: { city: 'Paris' } }] }, 'It is sunny.'])
 * const agent = new Agent({ name: 'Test', functions: [weather], model })
 * await agent.chat('Weather in Paris?') // 'It is sunny.'
 * model.requests.length // 2
 */
export function scriptedModel(turns: readonly ScriptedTurn[], options: ScriptedModelOptions = {}): ScriptedModel {
  // The letters of a text would be its turns.
  if (!Array.isArray(turns)) {
    throw new AgentKitError('invalid-argument', "scriptedModel takes a list of turns: scriptedModel(['It is sunny.']).")
  }
  checkOptions(options, { id: isText, info: isAny }, { of: 'scriptedModel' })
  const id = options.id ?? 'test/scripted'
  const requests: ModelRequest[] = []
  let callCount = 0
  const nextCallId = (): string => `call_${++callCount}`

  return {
    id,
    ...(options.info && { info: options.info }),
    requests,
    async *stream(request, signal) {
      throwIfAborted(signal)
      const turn = turns[requests.length]
      requests.push(structuredClone(request))
      checkTranscript(request.messages)
      if (turn === undefined) {
        throw new AgentKitError(
          'invalid-argument',
          `The scripted model has ${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}, ` +
            `and this is request ${requests.length}. Script one more turn.`,
        )
      }
      const index = requests.length - 1
      const answer = await resolveTurn(turn, request, signal)
      if (!(answer instanceof Error)) checkAnswer(answer, index)
      yield* play(id, answer, { request, signal, nextCallId })
    },
  }
}

/** A request that providers refuse must fail in tests too. */
function checkTranscript(messages: readonly Message[]): void {
  const [first] = validateTranscript(messages)
  if (!first) return
  const problem = `message ${first.index}, ${first.problem}`
  throw new AgentKitError('invalid-argument', `The request is not a valid transcript: ${problem}.`)
}

async function* play(
  modelId: string,
  turn: ScriptedAnswer | Error,
  { request, signal, nextCallId }: { request: ModelRequest; signal: AbortSignal; nextCallId: () => string },
): AsyncGenerator<ModelEvent> {
  if (turn instanceof Error) throw turn
  const { text = '', reasoning = '', deltas = 3, delayMs = 0 } = turn
  const calls = (turn.toolCalls ?? []).map((call) => ({ ...call, callId: call.callId ?? nextCallId() }))
  const events: ModelEvent[] = [
    ...(turn.warnings ?? []).map((message): ModelEvent => ({ type: 'warning', message })),
    ...pieces(reasoning, deltas).map((piece): ModelEvent => ({ type: 'reasoning-delta', text: piece })),
    ...pieces(text, deltas).map((piece): ModelEvent => ({ type: 'text-delta', text: piece })),
    ...calls.flatMap((call) => [...draftOf(call, request, deltas), toCallEvent(call)]),
  ]
  for (const event of events) {
    // An abort ends the wait early; the next line throws.
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {})
    throwIfAborted(signal)
    yield event
  }
  throwIfAborted(signal)
  if (turn.error) throw turn.error

  const content: AssistantPart[] = []
  if (reasoning !== '') content.push({ type: 'reasoning', text: reasoning })
  if (text !== '') content.push({ type: 'text', text })
  for (const { callId, name, input = {}, inputText } of calls) {
    content.push({
      type: 'tool-call',
      callId,
      name,
      ...(inputText === undefined ? { input: structuredClone(input) } : { input: {}, inputText }),
    })
  }
  yield {
    type: 'finish',
    reason: turn.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    usage: { ...(turn.usage ?? defaultUsage) },
    message: { v: 1, role: 'assistant', content, model: modelId },
  }
}

/** The arguments of the tool that takes the answer, as they are written. */
function draftOf(
  { callId, name, input = {}, inputText }: ScriptedToolCall & { callId: string },
  { answerTool }: ModelRequest,
  deltas: number,
): ModelEvent[] {
  if (name !== answerTool) return []
  const written = inputText ?? JSON.stringify(input)
  return pieces(written, deltas).map((text) => ({ type: 'tool-input-delta', callId, text }))
}

function toCallEvent(call: ScriptedToolCall & { callId: string }): ModelEvent {
  const { callId, name, input = {}, inputText } = call
  if (inputText === undefined) return { type: 'tool-call', callId, name, input: structuredClone(input) }
  return { type: 'tool-call', callId, name, input: undefined, inputText, invalid: 'they could not be parsed' }
}

async function resolveTurn(
  turn: ScriptedTurn,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ScriptedAnswer | Error> {
  if (typeof turn === 'string') return { text: turn }
  if (typeof turn !== 'function') return turn
  return resolveTurn(await untilAborted(signal, Promise.resolve(turn(request, signal))), request, signal)
}

/** Text in at most `count` pieces of whole characters. */
function pieces(text: string, count: number): string[] {
  const characters = Array.from(text)
  const size = Math.max(1, Math.ceil(characters.length / count))
  const result: string[] = []
  for (let start = 0; start < characters.length; start += size) {
    result.push(characters.slice(start, start + size).join(''))
  }
  return result
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal)
}
