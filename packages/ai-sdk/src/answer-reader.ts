import {
  AgentKitError,
  type JSONValue,
  type ModelEvent,
  type ModelFinishReason,
  type ModelRequest,
} from '@agentkit/core'
import { isRecord, ReplyBuilder } from '@agentkit/wire'
import { fromAISDKUsage } from './usage.ts'

type Part = Record<string, unknown>

/** What a model of the AI SDK reports as a failure in its stream; it is mapped like what the model throws. */
export class ReportedFailure extends Error {
  constructor(cause: unknown) {
    super('The stream reports a failure.', { cause })
  }
}

/** Turns the parts of one answer of the AI SDK, of either specification, into events. */
export class AnswerReader {
  readonly #callee: { provider: string; model: string }
  readonly #id: string
  readonly #reply: ReplyBuilder
  /** The block of text or reasoning that is written now. */
  #block: { kind: 'text' | 'reasoning'; id: unknown } | undefined
  /** What the provider wants back with each open block. */
  readonly #metadata = new Map<unknown, JSONValue>()
  #hasCalls = false
  readonly #answerTool: string | undefined
  /** The id of the call whose arguments are the answer. */
  #answerId: unknown

  /** @param request.answerTool the tool whose arguments are emitted while they are written */
  constructor(
    callee: { provider: string; model: string },
    { answerTool, messages }: Partial<Pick<ModelRequest, 'answerTool' | 'messages'>> = {},
  ) {
    this.#callee = callee
    this.#answerTool = answerTool
    this.#id = `${callee.provider}/${callee.model}`
    this.#reply = new ReplyBuilder(this.#id, messages)
  }

  warn(message: string): void {
    this.#reply.warn(message)
  }

  take(): ModelEvent[] {
    return this.#reply.take()
  }

  /** @returns whether the part ends the answer. @throws ReportedFailure, and AgentKitError for an invalid part */
  read(part: unknown): boolean {
    if (!isRecord(part)) throw this.#malformed('a part that is not an object')
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#readBlock('text', part)
        return false
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#readBlock('reasoning', part)
        return false
      case 'tool-input-start':
        if (part.toolName === this.#answerTool && part.providerExecuted !== true) this.#answerId = part.id
        return false
      case 'tool-input-delta':
        this.#reply.countPiece(String(part.delta))
        if (typeof part.id === 'string' && part.id === this.#answerId)
          this.#reply.toolInput(part.id, String(part.delta))
        return false
      case 'tool-call':
        this.#readCall(part)
        return false
      case 'stream-start':
        if (Array.isArray(part.warnings)) for (const warning of part.warnings) this.warn(wordsOf(warning))
        return false
      case 'finish':
        this.#finish(part)
        return true
      case 'error':
        throw new ReportedFailure(part.error)
      case 'source':
      case 'file':
      case 'reasoning-file':
      case 'custom':
      case 'tool-result':
      case 'tool-approval-request':
        this.warn(`"${this.#id}" sent a part of type "${part.type}", which is left out.`)
        return false
      default:
        // Metadata of the response, raw chunks, and what later versions add.
        return false
    }
  }

  #readBlock(kind: 'text' | 'reasoning', { type, id, delta, providerMetadata }: Part): void {
    const metadata = plainJSON(providerMetadata)
    if (metadata !== undefined) this.#metadata.set(id, metadata)
    if (type === `${kind}-start`) {
      this.#begin(kind, id)
    } else if (type === `${kind}-delta`) {
      if (typeof delta !== 'string') throw this.#malformed(`a ${kind} delta without text`)
      if (this.#block?.kind !== kind || this.#block.id !== id) this.#begin(kind, id)
      this.#reply[kind](delta)
    } else {
      this.#end(kind, id)
    }
  }

  #begin(kind: 'text' | 'reasoning', id: unknown): void {
    this.#reply.endPart()
    this.#block = { kind, id }
  }

  /** Ends a block. The data of a text that another block has interrupted belongs to no part any more. */
  #end(kind: 'text' | 'reasoning', id: unknown): void {
    const data = this.#metadata.get(id)
    this.#metadata.delete(id)
    const isCurrent = this.#block?.id === id && this.#block?.kind === kind
    if (isCurrent) this.#block = undefined
    if (data !== undefined && kind === 'reasoning') this.#reply.endReasoning(data)
    else if (data !== undefined && isCurrent) this.#reply.endText(data)
    else if (isCurrent) this.#reply.endPart()
  }

  #readCall({ toolCallId, toolName, input, providerExecuted, providerMetadata }: Part): void {
    if (this.#block) this.#end(this.#block.kind, this.#block.id)
    if (providerExecuted === true) {
      this.warn(`"${this.#id}" called the tool "${String(toolName)}" of its provider, which is left out.`)
      return
    }
    this.#hasCalls = true
    this.#reply.toolCall({
      callId: typeof toolCallId === 'string' ? toolCallId : undefined,
      name: String(toolName ?? ''),
      argumentsText: typeof input === 'string' ? input : (JSON.stringify(input) ?? ''),
      data: plainJSON(providerMetadata),
    })
  }

  #finish({ finishReason, usage }: Part): void {
    if (this.#block) this.#end(this.#block.kind, this.#block.id)
    this.#reply.finish(this.#reasonOf(finishReason), fromAISDKUsage(usage))
  }

  /** @throws AgentKitError for a reason that is a failure */
  #reasonOf(finishReason: unknown): ModelFinishReason {
    const { unified, raw } = isRecord(finishReason) ? finishReason : { unified: finishReason, raw: undefined }
    if (unified === 'stop' || unified === 'length' || unified === 'content-filter' || unified === 'tool-calls') {
      return unified
    }
    const { provider, model } = this.#callee
    const why = JSON.stringify(raw ?? unified) ?? 'none'
    if (/MALFORMED_FUNCTION_CALL|tool_use_failed/i.test(why)) {
      const message = `${provider} could not parse the tool call of the model.`
      throw new AgentKitError('invalid-tool-call', message, { provider, model })
    }
    if (unified === 'interrupted') {
      const message = `The answer of ${provider} was interrupted (${why}).`
      throw new AgentKitError('incomplete-stream', message, { provider, model })
    }
    if (unified === 'error' || !(this.#hasCalls || this.#reply.hasText)) {
      const message = `${provider} ended the answer for the reason ${why}.`
      throw new AgentKitError('provider-error', message, { provider, model, retryable: true })
    }
    this.warn(`"${this.#id}" ended its answer for the reason ${why}, which counts as "stop".`)
    return 'stop'
  }

  #malformed(what: string): AgentKitError {
    const { provider, model } = this.#callee
    return new AgentKitError('malformed-stream', `${provider} sent ${what}.`, { provider, model })
  }
}

/** A warning of the AI SDK as a sentence. */
function wordsOf(warning: unknown): string {
  const { type, feature, setting, message, details } = isRecord(warning) ? warning : {}
  if (typeof message === 'string') return message
  const subject = String(feature ?? setting ?? 'something')
  const words = type === 'compatibility' ? `works in a compatible way: ${subject}` : `does not support ${subject}`
  return `The model ${words}.${typeof details === 'string' ? ` ${details}` : ''}`
}

/** What a provider wants back is stored, so it must be JSON; other data is left out. */
function plainJSON(value: unknown): JSONValue | undefined {
  if (!isRecord(value)) return undefined
  try {
    // The cast holds: JSON.parse returns JSON.
    return JSON.parse(JSON.stringify(value)) as JSONValue
  } catch {
    return undefined
  }
}
