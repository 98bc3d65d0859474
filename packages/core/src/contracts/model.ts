import type { ModelFinishReason } from '../data/event.ts'
import type { AssistantMessage, JSONSchema, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'

/** A tool as it is described to a model. */
export type ToolSpec = {
  /** The name that the model calls. */
  name: string
  /** What the tool does and when to use it. */
  description: string
  /** The JSON Schema of its input. */
  inputSchema: JSONSchema
}

/** Whether the model may, must or must not call tools, or which one it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { tool: string }

/**
 * A place in a prompt up to which it may be cached: after the instruction, which follows the tools; where the previous
 * request of the conversation ended; where this one ends.
 */
export type CacheMark = 'instruction' | 'previous' | 'end'

/** How a provider should cache a prompt that later requests repeat. */
export type CachePlan = {
  /** The same for all requests of a conversation. */
  key: string
  /** The places up to which the prompt should be cached. */
  marks: readonly CacheMark[]
}

/** One request to a model. A provider drops an option that it does not support, with a `warning`, never a silent 400. */
export type ModelRequest = {
  /** The conversation: system messages first, the newest message last. */
  messages: Message[]
  /** The tools that the model may call. */
  tools?: ToolSpec[]
  /** Whether the model may, must or must not call tools. */
  toolChoice?: ToolChoice
  /** The tool whose arguments are the answer: the model emits them as `tool-input-delta` while it writes them. */
  answerTool?: string
  /** JSON Schema that the answer must follow. */
  output?: JSONSchema
  /** The maximum length of the answer, in tokens. */
  maxOutputTokens?: number
  /** How much answers vary, from 0. */
  temperature?: number
  /** Texts that end an answer. */
  stop?: string[]
  /** The effort of a reasoning model. */
  reasoning?: 'none' | 'low' | 'medium' | 'high'
  /** Whether one answer may have several tool calls. */
  parallelToolCalls?: boolean
  /** Absent where no later request repeats the prompt: writing it to a cache would only cost. */
  cache?: CachePlan
}

/** What a model emits while it answers: a closed union. `finish` is the last one. */
export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  /** A piece of the arguments of `answerTool`, before its `tool-call`, which has them whole. Of no other tool. */
  | { type: 'tool-input-delta'; callId: string; text: string }
  | {
      type: 'tool-call'
      /** The id of the call, unique in its answer. */
      callId: string
      /** The name of the tool. */
      name: string
      /** The parsed arguments; `undefined` when they are invalid JSON. */
      input: unknown
      /** The text that the model wrote, when it is invalid JSON. */
      inputText?: string
      /** The parse error. */
      invalid?: string
    }
  | { type: 'warning'; message: string }
  | {
      type: 'finish'
      /** Why the model stopped. */
      reason: ModelFinishReason
      /** The tokens of the call. */
      usage: Usage
      /** The whole answer, as it is stored. */
      message: AssistantMessage
      /** Sentences for the warnings of the run. */
      warnings?: string[]
    }

/** US dollars per million tokens, as of a date. */
export type Price = {
  /** Input tokens. */
  inputUsdPerMillion: number
  /** Output tokens, including those of reasoning. */
  outputUsdPerMillion: number
  /** Input tokens that were read from a cache; the input price when absent. */
  cachedInputUsdPerMillion?: number
  /** Cache writes; the input price when absent. Scales with the input price for long prompts. */
  cacheWriteUsdPerMillion?: number
  /** Prices for the whole call when its prompt is longer than `aboveInputTokens`. */
  longPrompt?: {
    /** Input tokens. */
    aboveInputTokens: number
    /** Input tokens, for a long prompt. */
    inputUsdPerMillion: number
    /** Output tokens, for a long prompt. */
    outputUsdPerMillion: number
    /** Input tokens from a cache, for a long prompt. */
    cachedInputUsdPerMillion?: number
  }
  /** ISO date on which the price was looked up. */
  asOf: string
}

/** Facts about a model, from provider packages. A model without them works too. */
export type ModelInfo = {
  /** The context window in tokens, prompt and answer together. */
  contextWindow?: number
  /** The maximum length of one answer, in tokens. */
  maxOutputTokens?: number
  /** What its calls cost. */
  price?: Price
  /** The maximum tokens of one image, from 0; 5,000 when absent. */
  imageTokens?: number
  /** Whether the provider can enforce a JSON Schema. */
  nativeOutput?: 'always' | 'without-tools' | 'never'
}

/**
 * A model with one method, which makes one attempt.
 *
 * `stream` yields deltas and whole tool calls, then exactly one `finish`, last. It never retries. A failure is
 * thrown as an `AgentKitError`, and a stream never ends without a finish. An aborted signal ends it with `aborted`,
 * or with `timeout` when the signal's reason is a timeout; a signal that is aborted already makes no request.
 */
export interface Model {
  /** `provider/model`. */
  readonly id: string
  /** Facts about the model: its context window, its longest answer, its price. */
  readonly info?: ModelInfo
  /** The maximum silence between its events, in milliseconds; the agent's `modelTimeoutMs` when absent. */
  readonly eventTimeoutMs?: number
  /** Loads `info` where it comes late; awaited before a run's first request. */
  load?(): Promise<void>
  /**
   * For models that watch each byte of their answers: the same model with this longest silence before the first byte
   * and between bytes, in milliseconds, unless its factory was given others.
   */
  withDefaultTimeout?(timeoutMs: number): Model
  /** Makes one request, and emits the events of its answer. */
  stream(request: ModelRequest, signal: AbortSignal): ModelStream
}

/** The events of one answer. An async generator works. */
export interface ModelStream extends AsyncIterable<ModelEvent> {
  /**
   * The next event if it has arrived: a burst of tokens is then read without a promise for each of them.
   * For streams that are their own iterator; between two calls of `next()`.
   */
  ready?(): ModelEvent | undefined
}

/** Converts texts to vectors. */
export interface Embedder {
  /** `provider/model`. */
  readonly id: string
  /** The length of its vectors, if it is known. */
  readonly dimensions?: number
  /** One vector per text, in order. `task` distinguishes documents from queries, for models that do. */
  embed(texts: string[], signal: AbortSignal, task?: 'document' | 'query'): Promise<Float32Array[]>
}

export type ToolCall = Extract<ModelEvent, { type: 'tool-call' }>
