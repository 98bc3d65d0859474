import type { ModelEvent, ModelRequest } from '@agentkit/core'
import {
  type ErrorContext,
  type Frame,
  type FrameReader,
  incompleteStream,
  isFlatError,
  isRecord,
  parseFrame,
  providerError,
  ReplyBuilder,
} from '@agentkit/wire'
import { failureOfFrame } from './errors.ts'
import type { ThinkingData } from './messages.ts'
import { plainTextDelta } from './plain-text-delta.ts'
import { toFinishReason } from './stop-reason.ts'
import { withOwnNames } from './tool-schema.ts'
import type { RenamedKeys } from './tools.ts'
import type { Block, BlockDelta, StopDelta, StopDetails, StreamEvent, WholeMessage } from './types.ts'
import { AnthropicUsage } from './usage.ts'

/** A block that has begun, with what its deltas have added. */
type OpenBlock =
  | { type: 'tool_use'; callId: string; name: string; input: unknown; argumentsText: string }
  | { type: 'thinking'; signature: string }

/** Reads the events of a Messages stream, or a whole message of a server that does not stream. */
export class AnthropicReader implements FrameReader {
  readonly #context: ErrorContext
  readonly #renamed: RenamedKeys
  readonly #answerTool: string | undefined
  readonly #reply: ReplyBuilder
  readonly #blocks = new Map<number, OpenBlock>()
  #usage = new AnthropicUsage()
  #begun = false
  #spoke = false
  #stopped = false
  #stopReason = ''
  #stopDetails: StopDetails | undefined

  /** @param request.answerTool the tool whose arguments are emitted while they are written */
  constructor(
    context: ErrorContext,
    renamed: RenamedKeys,
    { answerTool, messages }: Partial<Pick<ModelRequest, 'answerTool' | 'messages'>> = {},
  ) {
    this.#context = context
    this.#renamed = renamed
    // Keys are renamed once the arguments are complete.
    this.#answerTool = renamed.has(answerTool ?? '') ? undefined : answerTool
    this.#reply = new ReplyBuilder(`${context.provider}/${context.model}`, messages)
  }

  read(frame: Frame): boolean {
    const text = plainTextDelta(frame.data)
    if (text !== undefined) {
      this.#text(text)
      return false
    }
    const event = parseFrame<StreamEvent>(frame, this.#context)
    switch (event.type) {
      case 'content_block_delta':
        if (event.delta) this.#delta(event.delta, event.index ?? 0)
        return false
      case 'content_block_start':
        if (event.content_block) this.#begin(event.content_block, event.index ?? 0)
        return false
      case 'content_block_stop':
        this.#end(event.index ?? 0)
        return false
      case 'message_start':
        // The message may already have blocks of a tool that the server ran.
        this.#readWhole(event.message ?? {})
        return false
      case 'message_delta':
        this.#stop(event.delta ?? {}, event.usage)
        return false
      case 'message_stop':
        this.#stopped = true
        return true
      case 'message':
        // A server that does not stream answers with the message itself; its fields are checked where they are read.
        this.#readWhole(event as WholeMessage)
        return true
      default:
        if (event.type === 'error' || event.error || frame.event === 'error' || isUnnamedError(event))
          throw providerError(failureOfFrame(event), this.#context)
        return false
    }
  }

  finish(): void {
    if (!this.#stopped) throw incompleteStream(this.#context)
    if (this.#stopReason === '') this.#assumeEnd()
    for (const index of [...this.#blocks.keys()]) this.#end(index)
    const { reason, warning } = toFinishReason(this.#stopReason, this.#stopDetails, this.#spoke, this.#context)
    if (warning !== undefined) this.#reply.warn(warning)
    this.#reply.finish(reason, this.#usage.total())
  }

  take(): ModelEvent[] {
    return this.#reply.take()
  }

  /** Some servers send `message_stop` without a reason, which is enough where the answer is complete. */
  #assumeEnd(): void {
    const isCut = [...this.#blocks.values()].some(({ type }) => type === 'tool_use')
    if (isCut || !this.#spoke) throw incompleteStream(this.#context)
    const { provider } = this.#context
    this.#reply.warn(`${provider} gave no reason for the end of its answer: it was taken for a complete one.`)
  }

  /** A server or proxy that restarts an answer sends another `message_start`: the first message is dropped. */
  #start(usage: unknown): void {
    if (this.#begun) {
      this.#reply.restart()
      this.#blocks.clear()
      this.#usage = new AnthropicUsage()
      this.#stopped = this.#spoke = false
      this.#stopReason = ''
    }
    this.#begun = true
    this.#usage.add(usage)
  }

  #delta(delta: BlockDelta, index: number): void {
    switch (delta.type) {
      case 'text_delta':
        this.#text(delta.text)
        return
      case 'thinking_delta':
        if (typeof delta.thinking === 'string') this.#reply.reasoning(delta.thinking)
        return
      case 'input_json_delta': {
        const block = this.#blocks.get(index)
        if (block?.type === 'tool_use' && typeof delta.partial_json === 'string') {
          this.#reply.countPiece(delta.partial_json)
          block.argumentsText += delta.partial_json
          if (block.name === this.#answerTool) this.#reply.toolInput(block.callId, delta.partial_json)
        }
        return
      }
      case 'signature_delta': {
        const block = this.#blocks.get(index)
        if (block?.type === 'thinking' && typeof delta.signature === 'string') {
          this.#reply.countData(delta.signature)
          block.signature = delta.signature
        }
        return
      }
      default:
      // Citations and unknown types are ignored.
    }
  }

  #text(text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    this.#spoke = true
    this.#reply.text(text)
  }

  #begin(block: Block, index: number): void {
    const open = this.#blocks.get(index)
    // Some servers end no block, and give all of them one index.
    if (open && !(open.type === 'tool_use' && open.callId === block.id)) this.#end(index)
    switch (block.type) {
      case 'text':
        this.#text(block.text)
        return
      case 'thinking':
        this.#reply.endPart()
        // Counted at once: the block may never end.
        this.#reply.countData(textOrEmpty(block.signature))
        this.#blocks.set(index, { type: 'thinking', signature: textOrEmpty(block.signature) })
        this.#reply.reasoning(textOrEmpty(block.thinking))
        return
      case 'redacted_thinking':
        this.#reply.endPart()
        // The API would refuse it without its data in the next request.
        if (textOrEmpty(block.data) !== '')
          this.#reply.endReasoning({ redacted: textOrEmpty(block.data) } satisfies ThinkingData)
        return
      case 'tool_use': {
        const { id, name, input } = block
        this.#reply.countCalls(this.#blocks.size + 1)
        this.#reply.countPiece(textOrEmpty(id) + textOrEmpty(name) + (input ? JSON.stringify(input) : ''))
        this.#blocks.set(index, {
          type: 'tool_use',
          callId: textOrEmpty(id),
          name: textOrEmpty(name),
          input,
          argumentsText: '',
        })
        return
      }
      default:
        this.#reply.warn(`The server added a "${block.type ?? 'block'}" of its own to the answer: it was left out.`)
    }
  }

  #end(index: number): void {
    const block = this.#blocks.get(index)
    if (!block) return
    this.#blocks.delete(index)
    if (block.type === 'thinking') {
      if (block.signature === '') this.#reply.endPart()
      else this.#reply.endReasoning({ signature: block.signature } satisfies ThinkingData)
      return
    }
    this.#spoke = true
    const { callId, name, input, argumentsText } = block
    const text = argumentsText === '' && !isEmpty(input) ? JSON.stringify(input) : argumentsText
    const renamed = this.#renamed.get(name)
    this.#reply.toolCall({ callId, name, argumentsText: renamed ? withOwnNames(text, renamed) : text })
  }

  #stop({ stop_reason, stop_details }: StopDelta, usage: unknown): void {
    this.#usage.add(usage)
    if (!stop_reason) return
    this.#stopped = true
    this.#stopReason = stop_reason
    this.#stopDetails = stop_details ?? undefined
  }

  #readWhole(message: WholeMessage): void {
    this.#start(message.usage)
    message.content?.forEach((block, index) => {
      if (!block) return
      this.#begin(block, index)
      this.#end(index)
    })
    this.#stop(message, undefined)
  }
}

function isUnnamedError(event: StreamEvent): boolean {
  return event.type === undefined && isFlatError(event)
}

/** Whether a block has no input yet: its arguments are in the deltas, if it has any. */
function isEmpty(input: unknown): boolean {
  return !input || (isRecord(input) && Object.keys(input).length === 0)
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
