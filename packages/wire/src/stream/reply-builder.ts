import {
  AgentKitError,
  type AssistantPart,
  type JSONValue,
  type ModelEvent,
  type ModelFinishReason,
  type Opaque,
  type Usage,
} from '@agentkit/core'

/** A whole call, as a provider tells it. */
export type TellCall = {
  callId?: string | undefined
  name: string
  argumentsText: string
  /** What only this model can read, and wants back with the call. */
  data?: Opaque['data'] | undefined
}

/**
 * One answer while it comes: each piece becomes an event, and a part of the message that ends it. The message holds
 * what the deltas said. For every provider.
 */
export class ReplyBuilder {
  readonly #model: string
  readonly #parts: AssistantPart[] = []
  readonly #callIds = new Set<string>()
  readonly #warnings = new Set<string>()
  /** Characters of calls that a reader keeps until they are whole, and of calls that are. */
  #pieceChars = 0
  #callChars = 0
  /** Characters of data that only this model can read. */
  #dataChars = 0
  #events: ModelEvent[] = []
  #open: { type: 'text' | 'reasoning'; text: string; opaque?: Opaque } | undefined
  /** The first half of a character that was cut between two deltas. */
  #held = ''

  /** @param model `provider/model` */
  constructor(model: string) {
    this.#model = model
  }

  text(delta: string): void {
    this.#add('text', delta)
  }

  reasoning(delta: string): void {
    this.#add('reasoning', delta)
  }

  /** Text from here on is a part of its own, with data that only this model can read. */
  beginText(data: Opaque['data']): void {
    this.countData(data)
    this.endPart()
    this.#open = { type: 'text', text: '', opaque: { owner: this.#model, data } }
  }

  /**
   * Reasoning ends here, with data that only this model can read, and that it wants back.
   * A part of it is kept even when none of its text was told.
   */
  endReasoning(data: Opaque['data']): void {
    this.countData(data)
    if (this.#open?.type !== 'reasoning') this.#begin('reasoning')
    if (this.#open) this.#open.opaque = { owner: this.#model, data }
    this.endPart()
  }

  /** Text ends here, with data that only this model can read, and that it wants back, also without any text. */
  endText(data: Opaque['data']): void {
    this.countData(data)
    if (this.#open?.type !== 'text') this.#begin('text')
    this.#flushHeld()
    const text = this.#open?.text ?? ''
    this.#open = undefined
    this.#parts.push({ type: 'text', text, opaque: { owner: this.#model, data } })
  }

  endPart(): void {
    this.#flushHeld()
    const part = this.#open
    this.#open = undefined
    if (!part || (part.text === '' && !(part.type === 'reasoning' && part.opaque))) return
    const last = this.#parts.at(-1)
    if (last && last.type === part.type && !last.opaque && !part.opaque) last.text += part.text
    else this.#parts.push(part)
  }

  /**
   * Counts a piece of a call, before the reader keeps it: so an answer without an end takes no memory without an end.
   * @throws AgentKitError `malformed-stream` when the calls of the answer have more characters than any model writes
   */
  countPiece(text: string): void {
    this.#pieceChars += text.length
    if (this.#pieceChars > mostCallChars) throw this.#tooMuch(`${mostCallChars} characters of tool calls`)
  }

  /**
   * @param begun calls of the answer, also those that are not whole yet
   * @throws AgentKitError `malformed-stream` when they are more than any model makes
   */
  countCalls(begun: number): void {
    if (begun > mostCalls) throw this.#tooMuch(`${mostCalls} tool calls`)
  }

  /**
   * Counts data that only this model can read: no delta shows it, so core sees it at the end of the answer only.
   * @throws AgentKitError `malformed-stream` when the answer holds more than a message may
   */
  countData(data: Opaque['data']): void {
    this.#dataChars += JSON.stringify(data).length
    if (this.#dataChars > mostDataChars) throw this.#tooMuch(`${mostDataChars} characters of signatures`)
  }

  /** A whole call. Missing ids and ids used twice are replaced; arguments that do not parse are told as they came. */
  toolCall(call: TellCall): void {
    this.endPart()
    this.countCalls(this.#callIds.size + 1)
    this.#callChars += call.argumentsText.length
    if (this.#callChars > mostCallChars) throw this.#tooMuch(`${mostCallChars} characters of tool calls`)
    const callId = this.#uniqueCallId(call.callId)
    const { data } = call
    if (data !== undefined) this.countData(data)
    // A call of nothing is answered as one of a tool that there is not.
    const name = typeof call.name === 'string' && call.name !== '' ? call.name : 'unknown'
    const opaque = data === undefined ? {} : { opaque: { owner: this.#model, data } }
    const parsed = parseArguments(call.argumentsText)
    if (parsed.ok) {
      this.#parts.push({ type: 'tool-call', callId, name, input: parsed.input, ...opaque })
      this.#events.push({ type: 'tool-call', callId, name, input: parsed.input })
    } else {
      const { inputText, invalid } = parsed
      this.#parts.push({ type: 'tool-call', callId, name, input: {}, inputText, ...opaque })
      this.#events.push({ type: 'tool-call', callId, name, input: undefined, inputText, invalid })
    }
  }

  /** Tells a warning, once: some servers do the same thing with every chunk. */
  warn(message: string): void {
    if (this.#warnings.has(message) || this.#warnings.size === mostWarnings) return
    this.#warnings.add(message)
    this.#events.push({ type: 'warning', message })
  }

  /** Whether there is an answer in words so far. */
  get hasText(): boolean {
    return [...this.#parts, this.#open].some((part) => part?.type === 'text' && part.text !== '')
  }

  /** The answer begins again: what its message held so far is gone. What was told stays told. */
  restart(): void {
    this.#open = undefined
    this.#held = ''
    this.#parts.length = 0
    this.#callIds.clear()
    this.#pieceChars = this.#callChars = this.#dataChars = 0
  }

  /** @param reason as the provider says it; calls make a plain stop `tool-calls`, whatever it says */
  finish(reason: ModelFinishReason, usage: Usage): void {
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
    // Another attempt would cost as much again.
    return new AgentKitError('malformed-stream', message, { provider, model: model.join('/'), retryable: false })
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
    const text = this.#held === '' ? delta : this.#held + delta
    const cut = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800
    this.#held = cut ? text.slice(-1) : ''
    return cut ? text.slice(0, -1) : text
  }

  #flushHeld(): void {
    if (this.#held === '' || !this.#open) return
    this.#held = ''
    this.#open.text += '\ufffd'
    this.#events.push({ type: `${this.#open.type}-delta`, text: '\ufffd' })
  }

  #uniqueCallId(told: string | undefined): string {
    const usable = typeof told === 'string' && !nothing.has(told) && !this.#callIds.has(told)
    const callId = usable ? told : `call_${crypto.randomUUID().replaceAll('-', '')}`
    this.#callIds.add(callId)
    return callId
  }
}

/** Of the calls of one answer together, as core counts them; and how many of them it reads. */
const mostCallChars = 2_097_152
const mostCalls = 1_024
/** As long as core lets a message be. */
const mostDataChars = 16_777_216
/** Different ones of one answer. */
const mostWarnings = 100

/** What SDKs and servers write for an id that they do not have. */
const nothing: ReadonlySet<string> = new Set(['', 'null', 'undefined'])

export type ParsedArguments = { ok: true; input: JSONValue } | { ok: false; inputText: string; invalid: string }

/** What a model wrote as a tool's arguments. No arguments at all are `{}`. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, input: {} }
  try {
    // JSON.parse gives JSON values only.
    const input = JSON.parse(text) as JSONValue
    return { ok: true, input: input ?? {} }
  } catch (error) {
    return { ok: false, inputText: text, invalid: `The arguments are not valid JSON: ${(error as Error).message}` }
  }
}
