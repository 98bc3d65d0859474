import type { AgentKitError, ModelEvent, ModelFinishReason, Usage } from '@agentkit/core'
import { failureOfBody } from './failure.ts'
import type { Frame } from './frame.ts'
import { incompleteStream } from './incomplete-stream.ts'
import { parseFrame } from './parse-frame.ts'
import { type ErrorContext, providerError } from './provider-error.ts'
import { Reply } from './reply.ts'
import { isReasoningData } from './responses-items.ts'
import type { FrameReader } from './stream-model.ts'
import { mergeUsage, withTotal } from './usage.ts'

/** As far as it is read; servers leave out any of it, and send null for any of it. */
type StreamEvent = {
  type?: string
  object?: string
  output_index?: number
  item_id?: string
  summary_index?: number
  delta?: unknown
  arguments?: unknown
  item?: OutputItem | null
  response?: ResponseObject | null
  error?: unknown
}
type ResponseObject = {
  status?: string | null
  output?: (OutputItem | null)[] | null
  usage?: unknown
  error?: unknown
  incomplete_details?: { reason?: string | null } | null
}
type OutputItem = {
  type?: string
  id?: string
  call_id?: string
  name?: string
  arguments?: string | null
  phase?: string | null
  content?: ({ type?: string; text?: string; refusal?: string } | null)[] | null
  summary?: { type?: string; text?: string }[] | null
  encrypted_content?: string | null
}
/** What has been seen of one output item. Items are told apart by their index: some proxies give each event another id. */
type SeenItem = { item: OutputItem; told: boolean; argumentsText: string; done: boolean }

/** Reads the events of a Responses stream, and a response that came whole. */
export class ResponsesReader implements FrameReader {
  readonly #context: ErrorContext
  readonly #reply: Reply
  readonly #items = new Map<number | string, SeenItem>()
  #final: ResponseObject | undefined
  #refused = false
  #usage: Usage = {}

  constructor(context: ErrorContext) {
    this.#context = context
    this.#reply = new Reply(`${context.provider}/${context.model}`)
  }

  read(frame: Frame): boolean {
    if (frame.data === '[DONE]') return true
    const event = parseFrame<StreamEvent>(frame, this.#context)
    switch (event.type) {
      case 'response.output_text.delta':
        this.#delta(event, 'text')
        return false
      case 'response.refusal.delta':
        this.#refused = true
        this.#delta(event, 'text')
        return false
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#delta(event, 'reasoning')
        return false
      case 'response.reasoning_summary_part.added':
        if (event.summary_index) this.#reply.reasoning('\n\n')
        return false
      case 'response.function_call_arguments.delta':
        if (typeof event.delta === 'string') this.#seen(event).argumentsText += event.delta
        return false
      case 'response.function_call_arguments.done':
        if (typeof event.arguments === 'string') this.#seen(event).argumentsText = event.arguments
        return false
      case 'response.output_item.added':
        if (event.item) this.#begin(this.#seen(event), event.item)
        return false
      case 'response.output_item.done':
        if (event.item) this.#end(this.#seen(event), event.item)
        return false
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#terminate(event.response ?? {}, event.type.slice('response.'.length))
        return true
      case 'error':
        throw this.#failure(event)
      default:
        return this.#readOther(event)
    }
  }

  finish(): void {
    const final = this.#final
    if (!final) throw incompleteStream(this.#context)
    const reason = this.#refused ? 'content-filter' : finishReason(final)
    this.#reply.finish(reason, withTotal(this.#usage))
  }

  take(): ModelEvent[] {
    return this.#reply.take()
  }

  /** A server that does not stream answers with the response itself; a broken one with an error of any shape. */
  #readOther(event: StreamEvent): boolean {
    if (event.object === 'response') {
      // Its fields are checked where they are read, as those of a response inside an event.
      this.#terminate(event as ResponseObject, 'completed')
      return true
    }
    if (event.error) throw this.#failure(event)
    return false
  }

  #seen({ output_index, item_id, item }: StreamEvent): SeenItem {
    const key = output_index ?? item_id ?? item?.id ?? 0
    const known = this.#items.get(key)
    if (known) return known
    const seen: SeenItem = { item: {}, told: false, argumentsText: '', done: false }
    this.#items.set(key, seen)
    return seen
  }

  #delta(event: StreamEvent, kind: 'text' | 'reasoning'): void {
    if (typeof event.delta !== 'string') return
    this.#seen(event).told = true
    if (kind === 'text') this.#reply.text(event.delta)
    else this.#reply.reasoning(event.delta)
  }

  #begin(seen: SeenItem, item: OutputItem): void {
    seen.item = item
    if (item.type === 'message' && item.phase) this.#reply.beginText({ phase: item.phase })
    else if (item.type !== undefined && !readItems.has(item.type)) {
      this.#reply.warn(`The server added a "${item.type}" of its own to the answer: it was left out.`)
    }
  }

  #end(seen: SeenItem, item: OutputItem): void {
    if (seen.done) return
    seen.done = true
    if (item.type === 'message') {
      if (!seen.told) this.#wholeMessage(item)
      this.#reply.endPart()
    } else if (item.type === 'reasoning') {
      this.#endReasoning(item, seen.told)
    } else if (item.type === 'function_call') {
      this.#reply.toolCall({
        callId: item.call_id ?? seen.item.call_id,
        name: item.name ?? seen.item.name ?? '',
        argumentsText: item.arguments || seen.argumentsText,
      })
    }
  }

  #wholeMessage({ content }: OutputItem): void {
    for (const part of content ?? []) {
      if (part?.type === 'refusal') this.#refused = true
      this.#reply.text(part?.text ?? part?.refusal ?? '')
    }
  }

  #endReasoning({ id, summary, encrypted_content }: OutputItem, told: boolean): void {
    if (!told) this.#reply.reasoning((summary ?? []).map(({ text }) => text ?? '').join('\n\n'))
    const data = { id, encrypted_content, summary: summary ?? [] }
    if (isReasoningData(data)) this.#reply.endReasoning(data)
    else this.#reply.endPart()
  }

  /** @param status what the event's name says, where the response itself does not */
  #terminate(response: ResponseObject, status: string): void {
    this.#final = { ...response, status: response.status ?? status }
    this.#usage = mergeUsage(this.#usage, response.usage)
    if (this.#final.status === 'failed' || this.#final.status === 'cancelled') {
      throw this.#failure(response.error ? response : { message: `the response is "${this.#final.status}".` })
    }
    // What no event of its own has ended; all of it, when the response came whole.
    response.output?.forEach((item, index) => {
      if (!item) return
      const seen = this.#items.get(item.id ?? index) ?? this.#seen({ output_index: index })
      if (seen.item.type === undefined && !seen.done) this.#begin(seen, item)
      this.#end(seen, item)
    })
    for (const seen of this.#items.values()) if (seen.item.type === 'function_call') this.#end(seen, seen.item)
  }

  #failure(told: unknown): AgentKitError {
    const failure = failureOfBody(told)
    const code = failure.code ?? ''
    return providerError(
      requestFaults.test(code) ? { ...failure, type: 'invalid_request_error' } : failure,
      this.#context,
    )
  }
}

const readItems: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call'])

/** Codes of a failed response that another try would fail with again. */
const requestFaults =
  /^(?:invalid_|image_|unsupported_|empty_|failed_to_download|bio_policy|misalignment|data_residency)/

function finishReason({ status, incomplete_details }: ResponseObject): ModelFinishReason {
  if (status !== 'incomplete') return 'stop'
  return incomplete_details?.reason === 'content_filter' ? 'content-filter' : 'length'
}
