import {
  AgentKitError,
  type AssistantPart,
  type Message,
  type ModelEvent,
  type ModelFinishReason,
  type Opaque,
  type Usage,
} from '@agentkit/core'
import { isCallId, newCallId, OwnCallIds } from './call-id.ts'
import { type ParsedArguments, parseArguments } from './parse-arguments.ts'

/** A complete tool call, as a provider sent it. */
export type CompleteCall = {
  callId?: string | undefined
  name: string
  argumentsText: string
  /** Opaque data that this model wants back with the call. */
  data?: Opaque['data'] | undefined
}

/**
 * Builds one answer from the parts that a provider's reader finds in the stream: its events, and the message of its
 * `finish`, which contains the text of the deltas.
 */
export class ReplyBuilder {
  readonly #model: string
  readonly #parts: AssistantPart[] = []
  readonly #callIds = new Set<string>()
  readonly #ownIds: OwnCallIds
  readonly #warnings = new Set<string>()
  /** Characters of incomplete calls, which a reader buffers, and of complete calls. */
  #pieceChars = 0
  #callChars = 0
  /** Characters of opaque data. */
  #dataChars = 0
  #events: ModelEvent[] = []
  #open: { type: 'text' | 'reasoning'; text: string; opaque?: Opaque } | undefined
  /** The first half of a surrogate pair that was split between two deltas. */
  #splitCharacter = ''
  /** The last call, while it is unknown whether it has no arguments or was cut before them. */
  #undecided: CompleteCall | undefined

  /**
   * @param model `provider/model`
   * @param messages of the request: its ids of calls are not used again
   */
  constructor(model: string, messages: readonly Message[] = []) {
    this.#model = model
    this.#ownIds = new OwnCallIds(messages)
  }

  text(delta: string): void {
    this.#add('text', delta)
  }

  /** @param data that this model wants back with it */
  reasoning(delta: string, data?: Opaque['data']): void {
    this.#add('reasoning', delta)
    if (data !== undefined && this.#open?.type === 'reasoning') this.#open.opaque ??= { owner: this.#model, data }
  }

  /** Begins a text part with opaque data. */
  beginText(data: Opaque['data']): void {
    this.countData(data)
    this.endPart()
    this.#open = { type: 'text', text: '', opaque: { owner: this.#model, data } }
  }

  /** Ends a reasoning part with opaque data, which keeps the part even without text. */
  endReasoning(data: Opaque['data']): void {
    this.countData(data)
    if (this.#open?.type !== 'reasoning') this.#begin('reasoning')
    if (this.#open) this.#open.opaque = { owner: this.#model, data }
    this.endPart()
  }

  /** Ends a text part with opaque data, which keeps the part even without text. */
  endText(data: Opaque['data']): void {
    this.countData(data)
    if (this.#open?.type !== 'text') this.#begin('text')
    this.#flushSplitCharacter()
    const text = this.#open?.text ?? ''
    this.#open = undefined
    this.#parts.push({ type: 'text', text, opaque: { owner: this.#model, data } })
  }

  endPart(): void {
    this.#decideCall()
    this.#flushSplitCharacter()
    const part = this.#open
    this.#open = undefined
    if (!part || (part.text === '' && !(part.type === 'reasoning' && part.opaque))) return
    const last = this.#parts.at(-1)
    if (last && last.type === part.type && !last.opaque && !part.opaque) last.text += part.text
    else this.#parts.push(part)
  }

  /**
   * Counts a piece of a call before the reader buffers it, which bounds the memory of an endless answer.
   * @throws AgentKitError `malformed-stream` when the calls of the answer have more characters than any model writes
   */
  countPiece(text: string): void {
    this.#pieceChars += text.length
    if (this.#pieceChars > mostCallChars) throw this.#tooMuch(`${mostCallChars} characters of tool calls`)
  }

  /**
   * @param begun calls of the answer, incomplete ones included
   * @throws AgentKitError `malformed-stream` when there are more than any model makes
   */
  countCalls(begun: number): void {
    if (begun > mostCalls) throw this.#tooMuch(`${mostCalls} tool calls`)
  }

  /**
   * Counts opaque data: it is in no delta, so core can check it only at the end of the answer.
   * @throws AgentKitError `malformed-stream` when the answer holds more than a message may
   */
  countData(data: Opaque['data']): void {
    this.#dataChars += JSON.stringify(data).length
    if (this.#dataChars > mostDataChars) throw this.#tooMuch(`${mostDataChars} characters of signatures`)
  }

  /** Emits a piece of the arguments of a call, which is added once it is complete: by the id that it has then. */
  toolInput(callId: string, text: string): void {
    const ownId = text === '' || !isCallId(callId) ? undefined : this.#ownIds.of(callId)
    if (ownId === undefined || this.#callIds.has(ownId)) return
    this.#events.push({ type: 'tool-input-delta', callId: ownId, text })
  }

  /**
   * Adds a complete call. Missing ids, and those that the conversation has, are replaced; invalid arguments are emitted as
   * text. A call without arguments is emitted once the answer continues or ends: one that ends by its length may have cut
   * them off.
   */
  toolCall(call: CompleteCall): void {
    this.endPart()
    this.countCalls(this.#callIds.size + 1)
    this.#callChars += call.argumentsText.length
    if (this.#callChars > mostCallChars) throw this.#tooMuch(`${mostCallChars} characters of tool calls`)
    if (call.data !== undefined) this.countData(call.data)
    if (call.argumentsText.trim() === '') this.#undecided = call
    else this.#addCall(call, parseArguments(call.argumentsText))
  }

  /** Emits a warning once: some servers repeat a mistake with every chunk. */
  warn(message: string): void {
    if (this.#warnings.has(message) || this.#warnings.size === mostWarnings) return
    this.#warnings.add(message)
    this.#events.push({ type: 'warning', message })
  }

  /** Whether the answer contains text so far. */
  get hasText(): boolean {
    return [...this.#parts, this.#open].some((part) => part?.type === 'text' && part.text !== '')
  }

  /** Discards the message so far, because the provider begins its answer again. Events stay emitted. */
  restart(): void {
    this.#open = this.#undecided = undefined
    this.#splitCharacter = ''
    this.#parts.length = 0
    this.#callIds.clear()
    this.#pieceChars = this.#callChars = this.#dataChars = 0
  }

  /** @param reason of the provider; an answer with calls ends with `tool-calls` where the provider reports `stop` */
  finish(reason: ModelFinishReason, usage: Usage): void {
    if (reason === 'length') this.#decideCall(cutArguments)
    this.endPart()
    const called = this.#callIds.size > 0
    this.#events.push({
      type: 'finish',
      reason: reason === 'stop' || reason === 'tool-calls' ? (called ? 'tool-calls' : 'stop') : reason,
      usage,
      message: { v: 1, role: 'assistant', content: this.#parts, model: this.#model },
    })
  }

  /** The events since the last call. */
  take(): ModelEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  #tooMuch(what: string): AgentKitError {
    const [provider = '', ...model] = this.#model.split('/')
    const message = `${provider} sent more than ${what} in one answer, more than any model writes.`
    // A retry would cost as much again.
    return new AgentKitError('malformed-stream', message, { provider, model: model.join('/'), retryable: false })
  }

  #decideCall(parsed: ParsedArguments = parseArguments('')): void {
    const call = this.#undecided
    this.#undecided = undefined
    if (call) this.#addCall(call, parsed)
  }

  #addCall(call: CompleteCall, parsed: ParsedArguments): void {
    const callId = this.#uniqueCallId(call.callId)
    const { data } = call
    // Core answers a call without a name like one of an unknown tool.
    const name = typeof call.name === 'string' && call.name !== '' ? call.name : 'unknown'
    const opaque = data === undefined ? {} : { opaque: { owner: this.#model, data } }
    if (parsed.ok) {
      this.#parts.push({ type: 'tool-call', callId, name, input: parsed.input, ...opaque })
      this.#events.push({ type: 'tool-call', callId, name, input: parsed.input })
    } else {
      const { inputText, invalid } = parsed
      this.#parts.push({ type: 'tool-call', callId, name, input: {}, inputText, ...opaque })
      this.#events.push({ type: 'tool-call', callId, name, input: undefined, inputText, invalid })
    }
  }

  #add(type: 'text' | 'reasoning', delta: string): void {
    if (delta === '') return
    if (this.#open?.type !== type) this.#begin(type)
    const text = this.#wholeCharacters(delta)
    if (text === '' || !this.#open) return
    this.#open.text += text
    this.#events.push({ type: `${type}-delta`, text })
  }

  #begin(type: 'text' | 'reasoning'): void {
    this.endPart()
    this.#open = { type, text: '' }
  }

  #wholeCharacters(delta: string): string {
    const text = this.#splitCharacter === '' ? delta : this.#splitCharacter + delta
    const cut = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800
    this.#splitCharacter = cut ? text.slice(-1) : ''
    return (cut ? text.slice(0, -1) : text).toWellFormed()
  }

  #flushSplitCharacter(): void {
    if (this.#splitCharacter === '' || !this.#open) return
    this.#splitCharacter = ''
    this.#open.text += '\ufffd'
    this.#events.push({ type: `${this.#open.type}-delta`, text: '\ufffd' })
  }

  #uniqueCallId(given: string | undefined): string {
    const ownId = isCallId(given) ? this.#ownIds.of(given) : undefined
    const callId = ownId === undefined || this.#callIds.has(ownId) ? newCallId() : ownId
    this.#callIds.add(callId)
    return callId
  }
}

/** The arguments of a call that the longest answer has cut off. */
const cutArguments: ParsedArguments = { ok: false, inputText: '', invalid: 'the answer was cut off before them' }

/** The limits of core for the calls of one answer: their characters together, and their number. */
const mostCallChars = 2_097_152
const mostCalls = 1_024
/** Core's limit for a message. */
const mostDataChars = 16_777_216
/** Distinct warnings of one answer. */
const mostWarnings = 100
