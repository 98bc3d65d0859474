import type { ModelFinishReason } from '../data/event.ts'
import type { AssistantMessage, JSONSchema, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'

/** A tool as it is described to a model. */
export type ToolSpec = { name: string; description: string; inputSchema: JSONSchema }

/** Whether the model may, must or must not call tools, or which one it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { tool: string }

/**
 * A place in a prompt up to which it may be cached: after the instruction, which follows the tools; where the previous
 * request of the conversation ended; where this one ends.
 */
export type CacheMark = 'instruction' | 'previous' | 'end'

/** How providers that cache by keys or marks are to cache a prompt that later requests repeat. */
export type CachePlan = {
  /** The same for all requests of a conversation. */
  key: string
  marks: readonly CacheMark[]
}

/**
 * Where providers keep what they have converted of a run, each by an object of its own, so that a step converts what is new. The
 * loop sets it in longer runs: it changes no message of a run that was sent.
 */
export const convertedOfRun: unique symbol = Symbol.for('agentkit.convertedOfRun')

/** One request to a model. A provider drops an option that it does not support, with a `warning`, never a silent 400. */
export type ModelRequest = {
  messages: Message[]
  tools?: ToolSpec[]
  toolChoice?: ToolChoice
  /** The tool whose arguments are the answer, which is shown while it is written: they are wanted as `tool-input-delta`. */
  answerTool?: string
  /** JSON Schema that the answer must follow. */
  output?: JSONSchema
  /** The maximum length of the answer, in tokens. */
  maxOutputTokens?: number
  temperature?: number
  stop?: string[]
  reasoning?: 'none' | 'low' | 'medium' | 'high'
  parallelToolCalls?: boolean
  /** Absent where no later request repeats the prompt: writing it to a cache would only cost. */
  cache?: CachePlan
  /** For agentkit's own providers. @internal */
  [convertedOfRun]?: Map<object, unknown>
}

/** What a model emits while it answers: a closed union. `finish` is the last one. */
export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  /** A piece of the arguments of `answerTool`, before its `tool-call`, which has them whole. Of no other tool. */
  | { type: 'tool-input-delta'; callId: string; text: string }
  | {
      type: 'tool-call'
      callId: string
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
      reason: ModelFinishReason
      usage: Usage
      message: AssistantMessage
      warnings?: string[]
    }

/** US dollars per million tokens, as of a date. */
export type Price = {
  inputUsdPerMillion: number
  outputUsdPerMillion: number
  cachedInputUsdPerMillion?: number
  /** Cache writes; the input price when absent. Scales with the input price for long prompts. */
  cacheWriteUsdPerMillion?: number
  /** Prices for the whole call when its prompt is longer than `aboveInputTokens`. */
  longPrompt?: {
    aboveInputTokens: number
    inputUsdPerMillion: number
    outputUsdPerMillion: number
    cachedInputUsdPerMillion?: number
  }
  /** ISO date on which the price was looked up. */
  asOf: string
}

/** Facts about a model, from provider packages. A model without them works too. */
export type ModelInfo = {
  /** The context window in tokens, prompt and answer together. */
  contextWindow?: number
  maxOutputTokens?: number
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
  readonly dimensions?: number
  /** One vector per text, in order. `task` distinguishes documents from queries, for models that do. */
  embed(texts: string[], signal: AbortSignal, task?: 'document' | 'query'): Promise<Float32Array[]>
}

export type ToolCall = Extract<ModelEvent, { type: 'tool-call' }>
