import type { AgentKitError, ModelEvent, ModelFinishReason, ModelRequest, Usage } from '@agentkit/core'
import { failureOfBody, isFlatError } from '../errors/failure.ts'
import { type ErrorContext, incompleteStream, providerError } from '../errors/provider-error.ts'
import { type Frame, isDone, parseFrame } from '../stream/frame.ts'
import type { FrameReader } from '../stream/model-stream.ts'
import { ReplyBuilder } from '../stream/reply-builder.ts'
import { isReasoningData } from './responses-items.ts'
import { type OutputItem, type ResponseObject, type SeenItem, SeenItems, type StreamEvent } from './seen-items.ts'
import { mergeUsage, withTotal } from './usage.ts'

/** Reads the events of a Responses stream, or one complete response. */
export class ResponsesReader implements FrameReader {
  readonly #context: ErrorContext
  readonly #reply: ReplyBuilder
  readonly #items = new SeenItems()
  readonly #answerTool: string | undefined
  /** The call whose arguments are the answer, unless there is another call. */
  #answer: SeenItem | undefined
  #calls = 0
  #final: ResponseObject | undefined
  #refused = false
  #usage: Usage = {}

  /** @param request.answerTool the tool whose arguments are emitted while they are written */
  constructor(
    context: ErrorContext,
    { answerTool, messages }: Partial<Pick<ModelRequest, 'answerTool' | 'messages'>> = {},
  ) {
    this.#context = context
    this.#answerTool = answerTool
    this.#reply = new ReplyBuilder(`${context.provider}/${context.model}`, messages)
  }

  read(frame: Frame): boolean {
    if (isDone(frame)) return true
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
        if (typeof event.delta === 'string') {
          this.#addArguments(this.#seen(event, 'function_call'), event.delta)
        }
        return false
      case 'response.function_call_arguments.done':
        if (typeof event.arguments === 'string') {
          const seen = this.#seen(event, 'function_call')
          // The deltas are counted already.
          this.#addArguments(seen, event.arguments.slice(seen.argumentsText.length))
          seen.argumentsText = event.arguments
        }
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
        return this.#readOther(event, frame)
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
  #readOther(event: StreamEvent, frame: Frame): boolean {
    if (event.object === 'response') {
      // The cast holds: the fields are checked where they are read, like the fields of a response inside an event.
      this.#terminate(event as ResponseObject, 'completed')
      return true
    }
    const isError = event.error || frame.event === 'error' || (event.type === undefined && isFlatError(event))
    if (isError) throw this.#failure(event)
    return false
  }

  /** @param type of the item, if the event does not contain the item */
  #seen(event: StreamEvent, type?: string): SeenItem {
    const { size } = this.#items
    const seen = this.#items.of(event, type)
    if (this.#items.size > size) this.#reply.countCalls(this.#items.size)
    return seen
  }

  #delta(event: StreamEvent, kind: 'text' | 'reasoning'): void {
    if (typeof event.delta !== 'string') return
    this.#seen(event, kind === 'text' ? 'message' : 'reasoning').emitted = true
    if (kind === 'text') this.#reply.text(event.delta)
    else this.#reply.reasoning(event.delta)
  }

  #begin(seen: SeenItem, item: OutputItem): void {
    seen.item = item.type === 'function_call' ? this.#countedCall(item) : item.type ? { type: item.type } : {}
    if (item.type === 'function_call') {
      this.#answer = ++this.#calls === 1 && item.name === this.#answerTool ? seen : undefined
    }
    if (item.type === 'message' && item.phase) this.#reply.beginText({ phase: item.phase })
    else if (item.type !== undefined && !readItems.has(item.type)) {
      this.#reply.warn(`The server added a "${item.type}" to the answer: it was left out.`)
    }
  }

  #addArguments(seen: SeenItem, text: string): void {
    this.#reply.countPiece(text)
    seen.argumentsText += text
    if (seen === this.#answer) this.#reply.toolInput(seen.item.call_id ?? '', text)
  }

  /** The fields of a call that are buffered until it ends. */
  #countedCall(item: OutputItem): OutputItem {
    const [call_id = '', name = ''] = [item.call_id, item.name].map((field) => (typeof field === 'string' ? field : ''))
    const text = argumentsOf(item)
    this.#reply.countPiece(call_id + name + text)
    return { type: 'function_call', call_id, name, arguments: text }
  }

  #end(seen: SeenItem, item: OutputItem): void {
    if (seen.done) return
    seen.done = true
    if (seen.item.type === undefined && !seen.emitted) this.#begin(seen, item)
    if (item.type === 'message') {
      if (!seen.emitted) this.#completeMessage(item)
      this.#reply.endPart()
    } else if (item.type === 'reasoning') {
      this.#endReasoning(item, seen.emitted)
    } else if (item.type === 'function_call') {
      this.#reply.toolCall({
        callId: item.call_id ?? seen.item.call_id,
        name: item.name ?? seen.item.name ?? '',
        argumentsText: argumentsOf(item) || seen.argumentsText,
      })
    }
  }

  #completeMessage({ content }: OutputItem): void {
    for (const part of content ?? []) {
      if (part?.type === 'refusal') this.#refused = true
      this.#reply.text(part?.text ?? part?.refusal ?? '')
    }
  }

  #endReasoning({ id, summary, content, encrypted_content }: OutputItem, emitted: boolean): void {
    // Models whose reasoning is open, as vLLM serves them, have it whole in place of a summary.
    const parts = summary?.length ? summary : (content ?? [])
    if (!emitted) this.#reply.reasoning(parts.map((part) => part?.text ?? '').join('\n\n'))
    const data = { id, encrypted_content, summary: summary ?? [] }
    if (isReasoningData(data)) this.#reply.endReasoning(data)
    else this.#reply.endPart()
  }

  /** @param status of the event's name, if the response has none */
  #terminate(response: ResponseObject, status: string): void {
    this.#final = { ...response, status: response.status ?? status }
    this.#usage = mergeUsage(this.#usage, response.usage)
    if (this.#final.status === 'failed' || this.#final.status === 'cancelled') {
      throw this.#failure(response.error ? response : { message: `the response is "${this.#final.status}".` })
    }
    // Items that no event has ended; all of them in a complete response.
    const output = response.output?.filter((item) => item != null) ?? []
    for (const [item, seen] of this.#items.matched(output)) this.#end(seen, item)
    for (const seen of this.#items) if (seen.item.type === 'function_call') this.#end(seen, seen.item)
  }

  #failure(body: unknown): AgentKitError {
    const failure = failureOfBody(body)
    const code = failure.code ?? ''
    return providerError(
      requestFaults.test(code) ? { ...failure, type: 'invalid_request_error' } : failure,
      this.#context,
    )
  }
}

/** Some servers send an object in place of its JSON. */
function argumentsOf({ arguments: given }: OutputItem): string {
  return typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given)
}

const readItems: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call'])

/** Codes of failed responses that a retry would get again. */
const requestFaults =
  /^(?:invalid_|image_|unsupported_|empty_|failed_to_download|bio_policy|misalignment|data_residency)/

function finishReason({ status, incomplete_details }: ResponseObject): ModelFinishReason {
  if (status !== 'incomplete') return 'stop'
  return incomplete_details?.reason === 'content_filter' ? 'content-filter' : 'length'
}
