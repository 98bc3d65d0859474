import type { ModelEvent, ModelRequest, Usage } from '@agentkit/core'
import {
  type ErrorContext,
  type Frame,
  type FrameReader,
  failureOfBody,
  incompleteStream,
  isCount,
  isFlatError,
  parseFrame,
  providerError,
  ReplyBuilder,
  withTotal,
} from '@agentkit/wire'

/** The fields that are read; servers omit any of them. */
type Line = {
  message?: { content?: unknown; thinking?: unknown; tool_calls?: (Call | null)[] | null } | null
  error?: unknown
  done?: unknown
  done_reason?: unknown
  prompt_eval_count?: unknown
  eval_count?: unknown
}
type Call = { id?: unknown; function?: { name?: unknown; arguments?: unknown } | null }

/** Reads the lines of an answer, or a whole answer in one line. */
export class OllamaReader implements FrameReader {
  readonly #context: ErrorContext
  readonly #reply: ReplyBuilder
  readonly #promptCharacters: number
  #last: Line | undefined

  /** @param promptCharacters the length of the prompt, to notice when the server has cut it */
  constructor(
    context: ErrorContext,
    promptCharacters: number,
    { messages }: Partial<Pick<ModelRequest, 'messages'>> = {},
  ) {
    this.#context = context
    this.#reply = new ReplyBuilder(`${context.provider}/${context.model}`, messages)
    this.#promptCharacters = promptCharacters
  }

  read(frame: Frame): boolean {
    const line = parseFrame<Line>(frame, this.#context)
    if (line.error || isFlatError(line)) throw providerError(failureOfBody(line), this.#context)
    const { thinking, content, tool_calls } = line.message ?? {}
    if (typeof thinking === 'string') this.#reply.reasoning(thinking)
    if (typeof content === 'string') this.#reply.text(content)
    for (const call of tool_calls ?? []) if (call) this.#readCall(call)
    if (line.done === true) this.#last = line
    return line.done === true
  }

  finish(): void {
    if (!this.#last) throw incompleteStream(this.#context)
    const { done_reason, prompt_eval_count, eval_count } = this.#last
    const usage: Usage = {}
    if (isCount(prompt_eval_count)) usage.inputTokens = prompt_eval_count
    if (isCount(eval_count)) usage.outputTokens = eval_count
    if (wasCut(this.#promptCharacters, usage.inputTokens)) {
      const message = `Ollama read only ${usage.inputTokens} tokens of the prompt, and left out the rest: pass a larger contextWindow.`
      this.#reply.warn(message)
    }
    this.#reply.finish(done_reason === 'length' ? 'length' : 'stop', withTotal(usage))
  }

  take(): ModelEvent[] {
    return this.#reply.take()
  }

  #readCall({ id, function: called }: Call): void {
    const { name, arguments: input } = called ?? {}
    this.#reply.toolCall({
      callId: typeof id === 'string' ? id : undefined,
      name: typeof name === 'string' ? name : '',
      argumentsText: typeof input === 'string' ? input : input == null ? '' : JSON.stringify(input),
    })
  }
}

/** The smallest window that a server has is 2,048 tokens, and half of it is left of a longer prompt. */
const leastCut = 1000
/** Twice as many characters per token as in ordinary text. */
const mostCharacters = 12

/** Servers before 0.12 cut a long prompt even with `truncate: false`. A low count may also mean a cached prompt. */
function wasCut(characters: number, counted: number | undefined): boolean {
  return counted !== undefined && counted >= leastCut && characters / counted > mostCharacters
}
