import type { JSONValue, ModelEvent, ModelFinishReason, ModelRequest, Usage } from '@agentkit/core'
import { failureOfBody, isFlatError } from '../errors/failure.ts'
import { type ErrorContext, incompleteStream, providerError } from '../errors/provider-error.ts'
import { isCallId } from '../stream/call-id.ts'
import { type Frame, isDone, parseFrame } from '../stream/frame.ts'
import type { FrameReader } from '../stream/model-stream.ts'
import { ReplyBuilder } from '../stream/reply-builder.ts'
import { isRecord } from '../util/json.ts'
import {
  addPiece,
  beginsAnother,
  type CallPiece,
  followsPlaceholder,
  isCompleteCall,
  isListedAgain,
  isSentAgain,
  newCall,
  type OpenCall,
} from './call-pieces.ts'
import { extraContentData, ReasoningDetails, reasoningContent } from './returned-reasoning.ts'
import { mergeUsage, withTotal } from './usage.ts'

/** The fields that are read; servers omit any of them, and send null for any of them. */
type Chunk = {
  choices?: (Choice | null)[] | null
  usage?: unknown
  x_groq?: { usage?: unknown; error?: unknown } | null
  error?: unknown
  object?: unknown
}
type Choice = {
  index?: unknown
  delta?: Delta | null
  message?: Delta | null
  finish_reason?: string | null
  /** The error of a gateway, which calls other servers. */
  error?: unknown
  usage?: unknown
}
type Delta = {
  content?: unknown
  refusal?: unknown
  reasoning_content?: unknown
  reasoning?: unknown
  reasoning_details?: unknown
  tool_calls?: (CallDelta | null)[] | CallDelta | null
} & { [Item in (typeof serverItems)[number]]?: unknown }
type CallDelta = {
  index?: unknown
  id?: unknown
  function?: { name?: unknown; arguments?: unknown } | null
  extra_content?: unknown
}
/**
 * Items that a server adds without request: Groq's own tools, images and audio of a gateway, calls in the oldest form.
 */
const serverItems = ['executed_tools', 'images', 'audio', 'function_call'] as const
/** The parts of an answer. */
const parts = ['content', 'refusal', 'reasoning_content', 'reasoning', 'tool_calls'] as const

/** Reads the chunks of a Chat Completions stream, or one complete completion. */
export class ChatReader implements FrameReader {
  readonly #context: ErrorContext
  readonly #reply: ReplyBuilder
  readonly #calls: OpenCall[] = []
  readonly #callsByKey = new Map<number | string, OpenCall>()
  readonly #answerTool: string | undefined
  readonly #returnsReasoning: boolean
  readonly #details = new ReasoningDetails()
  /** The call whose arguments are the answer, unless there is another call. */
  #answer: OpenCall | undefined
  #finishReason: string | undefined
  #done = false
  /** Whether deltas have given a part of the answer. */
  #streamed = false
  #refused = false
  #usage: Usage = {}

  /**
   * @param request.answerTool the tool whose arguments are emitted while they are written
   * @param returnsReasoning whether the model gets back its `reasoning_content`, `reasoning_details` and `extra_content`
   */
  constructor(
    context: ErrorContext,
    { answerTool, messages }: Partial<Pick<ModelRequest, 'answerTool' | 'messages'>> = {},
    returnsReasoning = false,
  ) {
    this.#context = context
    this.#answerTool = answerTool
    this.#returnsReasoning = returnsReasoning
    this.#reply = new ReplyBuilder(`${context.provider}/${context.model}`, messages)
  }

  read(frame: Frame): boolean {
    if (isDone(frame)) {
      this.#done = true
      return true
    }
    const chunk = parseFrame<Chunk>(frame, this.#context)
    const isError = chunk.error || chunk.object === 'error' || frame.event === 'error'
    if (isError || (!chunk.choices && isFlatError(chunk))) throw providerError(failureOfBody(chunk), this.#context)
    // Groq's reason for an early stop.
    const stopped = chunk.x_groq?.error
    if (stopped) throw providerError(failureOfBody({ message: stopped, code: stopped }), this.#context)
    // One choice was requested; if there are several, the first counts.
    const choice = chunk.choices?.find((one) => !one?.index)
    if (choice) this.#readChoice(choice)
    if (choice?.error) throw providerError(failureOfBody(choice), this.#context)
    const usage = chunk.usage ?? chunk.x_groq?.usage ?? choice?.usage
    if (usage) this.#usage = mergeUsage(this.#usage, usage)
    return false
  }

  finish(): void {
    const reason = this.#finishReason ?? this.#assumedReason()
    if (reason === 'error') throw providerError({ message: 'the answer ended in an error.' }, this.#context)
    if (interruptions.has(reason)) throw incompleteStream(this.#context)
    const details = this.#details.data
    if (details) this.#reply.endReasoning(details)
    for (const call of this.#calls) this.#reply.toolCall({ ...call, data: extraContentData(call) })
    const refused = this.#refused ? 'content-filter' : (finishReasons.get(reason) ?? 'stop')
    this.#reply.finish(refused, withTotal(this.#usage))
  }

  /** Some servers send no finish reason. `[DONE]` is enough where the answer is complete. */
  #assumedReason(): string {
    const calls = this.#calls
    const isComplete = calls.length > 0 ? calls.every(isCompleteCall) : this.#reply.hasText
    if (!this.#done || !isComplete) throw incompleteStream(this.#context)
    const { provider } = this.#context
    this.#reply.warn(`${provider} gave no reason for the end of its answer: it was taken for a complete one.`)
    return calls.length > 0 ? 'tool_calls' : 'stop'
  }

  take(): ModelEvent[] {
    return this.#reply.take()
  }

  #readChoice({ delta, message, finish_reason }: Choice): void {
    if (delta) {
      this.#streamed ||= parts.some((part) => isGiven(delta[part]))
      this.#readDelta(delta)
    } else if (message) this.#readDelta(this.#unread(message))
    if (finish_reason) this.#finishReason = finish_reason
  }

  /**
   * The part of a message that the deltas before it did not have: MiniMax repeats the whole answer at the end of a
   * stream.
   */
  #unread(message: Delta): Delta {
    if (!this.#streamed) return message
    return this.#calls.length > 0 ? {} : { tool_calls: message.tool_calls ?? null }
  }

  #readDelta(delta: Delta): void {
    const { reasoning_content } = delta
    const reasoning = reasoning_content ?? delta.reasoning
    const isReturned = this.#returnsReasoning && typeof reasoning_content === 'string'
    if (typeof reasoning === 'string') this.#reply.reasoning(reasoning, isReturned ? reasoningContent : undefined)
    if (this.#returnsReasoning && Array.isArray(delta.reasoning_details)) {
      for (const detail of delta.reasoning_details) {
        this.#reply.countData(detail)
        this.#details.add(detail)
      }
    }
    if (typeof delta.content === 'string') this.#reply.text(delta.content)
    else if (Array.isArray(delta.content)) for (const part of delta.content) readContentPart(part, this.#reply)
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#refused = true
      this.#reply.text(delta.refusal)
    }
    if (delta.tool_calls) for (const call of listOf(delta.tool_calls)) if (call) this.#readCall(call)
    for (const item of serverItems) if (isGiven(delta[item])) this.#reply.warn(leftOut(item))
  }

  #readCall({ index, id, function: called, extra_content }: CallDelta): void {
    const name = typeof called?.name === 'string' ? called.name : ''
    const callId = isCallId(id) ? id : ''
    const text = called?.arguments
    const piece = typeof text === 'string' ? text : text == null ? '' : JSON.stringify(text)
    const call = this.#openCall(typeof index === 'number' ? index : undefined, { callId, name, piece })
    if (this.#returnsReasoning && isRecord(extra_content)) {
      call.extraContent = extra_content as JSONValue // parsed from JSON
      this.#reply.countData(call.extraContent)
    }
    if (isListedAgain(call, { callId, name, piece })) return
    if (call.callId === '') call.callId = callId
    if (call.name === '') call.name = name
    this.#reply.countPiece(piece)
    if (isSentAgain(call, piece)) return
    if (followsPlaceholder(call, piece)) {
      call.argumentsText = call.lastSign = ''
      // The text that was emitted is not the beginning of the new arguments.
      if (call === this.#answer) this.#answer = undefined
    }
    addPiece(call, piece)
    if (call === this.#answer) this.#reply.toolInput(call.callId, piece)
  }

  /** The call of a delta: by index, else by id, else the last one. */
  #openCall(index: number | undefined, delta: CallPiece): OpenCall {
    const { callId, name } = delta
    const key = index ?? callId
    const known = key === '' ? this.#calls.at(-1) : this.#callsByKey.get(key)
    if (known && !beginsAnother(known, delta, key !== '')) return known
    const call = newCall(delta)
    this.#reply.countCalls(this.#calls.length + 1)
    this.#reply.countPiece(callId + name)
    this.#calls.push(call)
    this.#answer = name === this.#answerTool && this.#calls.length === 1 ? call : undefined
    for (const each of [index ?? '', callId]) if (each !== '') this.#callsByKey.set(each, call)
    return call
  }
}

/** TGI before 3.2 sends one call without a list. */
function listOf(calls: (CallDelta | null)[] | CallDelta): (CallDelta | null)[] {
  return 'function' in calls ? [calls] : (calls as (CallDelta | null)[]) // anything else fails, as it is no list
}

/** The server has broken the answer off: vLLM and SGLang by the first, DeepSeek by the second. */
const interruptions: ReadonlySet<string> = new Set(['abort', 'insufficient_system_resource'])

/** Unknown reasons count as `stop`. */
const finishReasons = new Map<string, ModelFinishReason>(
  Object.entries({
    stop: 'stop',
    tool_calls: 'tool-calls',
    function_call: 'tool-calls',
    length: 'length',
    model_length: 'length',
    max_tokens: 'length',
    content_filter: 'content-filter',
  } as const),
)

/**
 * Reads one part of a content list. Mistral's reasoning models send such lists on every server; their signature is sent
 * back with the reasoning.
 */
function readContentPart(part: unknown, reply: ReplyBuilder): void {
  if (!isRecord(part)) return
  if (part.type !== 'thinking') {
    if (typeof part.text === 'string') reply.text(part.text)
    else if (typeof part.type === 'string' && part.type !== 'text') {
      reply.warn(leftOut(part.type))
    }
    return
  }
  reply.reasoning(thoughts(part.thinking))
  if (typeof part.signature === 'string' && part.signature !== '') reply.endReasoning({ signature: part.signature })
}

function leftOut(item: string): string {
  return `The server added a "${item}" to the answer: it was left out.`
}

/** Servers send a field that they do not use as null, or empty. */
function isGiven(item: unknown): boolean {
  if (typeof item === 'string') return item !== ''
  return typeof item === 'object' && item !== null && Object.keys(item).length > 0
}

function thoughts(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  if (!Array.isArray(thinking)) return ''
  return thinking.map((thought) => (isRecord(thought) && typeof thought.text === 'string' ? thought.text : '')).join('')
}
