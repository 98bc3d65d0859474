import { AgentKitError, type ModelEvent, type ModelFinishReason, type ModelRequest } from '@agentkit/core'
import {
  type ErrorContext,
  type Frame,
  type FrameReader,
  failureOfBody,
  incompleteStream,
  isFlatError,
  parseFrame,
  providerError,
  ReplyBuilder,
} from '@agentkit/wire'
import { geminiFailure } from './errors.ts'
import { type CallPiece, PartialCall } from './partial-call.ts'
import { GeminiUsage } from './usage.ts'

/** The fields that are read; any of them may be absent. */
type Chunk = {
  candidates?: (Candidate | null)[] | null
  promptFeedback?: { blockReason?: unknown } | null
  usageMetadata?: unknown
  error?: unknown
}
type Candidate = {
  content?: { parts?: (Part | null)[] | null } | null
  finishReason?: unknown
  finishMessage?: unknown
}
type Part = { text?: unknown; thought?: unknown; thoughtSignature?: unknown; functionCall?: CallPiece | null }

/** Reads the chunks of `streamGenerateContent`, or an answer in one JSON document. */
export class GeminiReader implements FrameReader {
  readonly #context: ErrorContext
  readonly #reply: ReplyBuilder
  readonly #usage = new GeminiUsage()
  #call: PartialCall | undefined
  #finishReason: string | undefined
  #finishMessage = ''
  #blockReason: string | undefined
  #hasContent = false

  constructor(context: ErrorContext, { messages }: Partial<Pick<ModelRequest, 'messages'>> = {}) {
    this.#context = context
    this.#reply = new ReplyBuilder(`${context.provider}/${context.model}`, messages)
  }

  read(frame: Frame): boolean {
    if (frame.data === '[DONE]') return true
    const data = parseFrame<Chunk | (Chunk | null)[]>(frame, this.#context)
    if (Array.isArray(data)) for (const chunk of data) this.#readChunk(chunk ?? {})
    else this.#readChunk(data)
    return false
  }

  finish(): void {
    if (this.#call) this.#endCall(this.#call, 'broken-off')
    this.#reply.finish(this.#reason(), this.#usage.total())
  }

  take(): ModelEvent[] {
    return this.#reply.take()
  }

  #readChunk(chunk: Chunk): void {
    if (chunk.error || (!chunk.candidates && isFlatError(chunk)))
      throw providerError(geminiFailure(failureOfBody(chunk)), this.#context)
    const candidate = chunk.candidates?.[0]
    if (candidate) {
      const parts = candidate.content?.parts
      if (Array.isArray(parts)) for (const part of parts) if (part) this.#readPart(part)
      if (typeof candidate.finishReason === 'string') this.#finishReason = candidate.finishReason
      if (typeof candidate.finishMessage === 'string') this.#finishMessage = candidate.finishMessage
    }
    const blockReason = chunk.promptFeedback?.blockReason
    if (typeof blockReason === 'string') this.#blockReason = blockReason
    if (chunk.usageMetadata) this.#usage.add(chunk.usageMetadata)
  }

  #readPart(part: Part): void {
    const { text, thought, functionCall, thoughtSignature } = part
    const data = typeof thoughtSignature === 'string' ? { thoughtSignature } : undefined
    const others = typeof text === 'string' ? [] : otherKinds(part)
    if (functionCall) this.#readCall(functionCall, data?.thoughtSignature)
    // The signature of the part is left out too: it fits no other part.
    else if (others.length > 0) this.#warnOf(others)
    else if (thought === true) {
      if (typeof text === 'string') this.#reply.reasoning(text)
      if (data) this.#reply.endReasoning(data)
    } else {
      if (typeof text === 'string' && text !== '') this.#addText(text)
      // Google: a part with a signature is never merged with one without. It often comes last, in an empty one.
      else this.#reply.endPart()
      if (data) this.#reply.endText(data)
    }
  }

  #addText(text: string): void {
    this.#hasContent = true
    this.#reply.text(text)
  }

  #readCall(piece: CallPiece, signature: string | undefined): void {
    this.#hasContent = true
    // A name starts another call, also when the last one never ended.
    if (this.#call && this.#call.name !== '' && piece.name) this.#endCall(this.#call)
    this.#reply.countPiece(JSON.stringify(piece))
    const call = this.#call ?? new PartialCall()
    call.add(piece)
    if (signature !== undefined) call.signature = signature
    if (piece.willContinue === true) this.#call = call
    else this.#endCall(call)
  }

  #endCall(call: PartialCall, end?: 'broken-off'): void {
    this.#call = undefined
    const { id, name, signature } = call
    // Cut, so that incomplete arguments do not parse as JSON.
    const argumentsText = end ? call.argumentsText.slice(0, -1) : call.argumentsText
    const data = signature === undefined ? undefined : { thoughtSignature: signature }
    this.#reply.toolCall({ callId: id, name: name || 'unknown', argumentsText, data })
  }

  /** Warns of parts that no request asked for, such as code that the server ran. */
  #warnOf(kinds: readonly string[]): void {
    this.#hasContent = true
    for (const kind of kinds) {
      this.#reply.warn(`The server added a "${kind}" of its own to the answer: it was left out.`)
    }
  }

  #reason(): ModelFinishReason {
    const reason = this.#finishReason
    if (reason === undefined) {
      if (this.#blockReason === undefined) throw incompleteStream(this.#context)
      this.#reply.warn(`gemini blocked the prompt (${this.#blockReason}).`)
      return 'content-filter'
    }
    if (badCalls.has(reason)) throw this.#failure('invalid-tool-call', 'has a call that cannot be read')
    if (reason === 'MALFORMED_RESPONSE') throw this.#failure('malformed-stream', 'cannot be read')
    const known = finishReasons.get(reason)
    if (known !== undefined && known !== 'stop') return known
    if (reason === 'CONTINUATION') {
      this.#reply.warn('gemini stopped at the longest answer of one request.')
      return 'length'
    }
    if (known === undefined) {
      if (!this.#hasContent) throw this.#failure('provider-error', 'is empty')
      this.#reply.warn(`gemini ended its answer for the reason ${reason}.`)
    } else if (!this.#hasContent) this.#reply.warn('gemini ended its answer without a word.')
    return 'stop'
  }

  #failure(code: 'malformed-stream' | 'invalid-tool-call' | 'provider-error', what: string): AgentKitError {
    const { provider, model } = this.#context
    const finishReason = this.#finishReason
    const cause = { finishReason, ...(this.#finishMessage !== '' && { failedGeneration: this.#finishMessage }) }
    const retryable = code !== 'invalid-tool-call'
    return new AgentKitError(code, `The answer of ${provider} ${what} (${finishReason}).`, {
      provider,
      model,
      retryable,
      cause,
    })
  }
}

/** The fields of a part that are not read here, such as code that the server ran. */
function otherKinds(part: Part): string[] {
  return Object.entries(part).flatMap(([kind, value]) => (noContent.has(kind) || value == null ? [] : kind))
}

const noContent: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'functionCall',
  'partMetadata',
  'mediaResolution',
  'mediaProcessing',
  'speechMetadata',
  'videoMetadata',
])

const badCalls: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
])

const finishReasons = new Map<string, ModelFinishReason>(
  Object.entries({
    STOP: 'stop',
    MAX_TOKENS: 'length',
    SAFETY: 'content-filter',
    RECITATION: 'content-filter',
    LANGUAGE: 'content-filter',
    BLOCKLIST: 'content-filter',
    PROHIBITED_CONTENT: 'content-filter',
    SPII: 'content-filter',
    MODEL_ARMOR: 'content-filter',
    IMAGE_SAFETY: 'content-filter',
    IMAGE_PROHIBITED_CONTENT: 'content-filter',
    IMAGE_RECITATION: 'content-filter',
    IMAGE_OTHER: 'content-filter',
    NO_IMAGE: 'content-filter',
  } as const),
)
