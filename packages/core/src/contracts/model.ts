import type { ModelFinishReason } from '../data/event.ts'
import type { AssistantMessage, JSONSchema, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'

/** What a tool looks like to a model. */
export type ToolSpec = { name: string; description: string; inputSchema: JSONSchema }

export type ToolChoice = 'auto' | 'none' | 'required' | { tool: string }

/** One request to a model. An option that a provider cannot honour is dropped with a `warning`, never a silent 400. */
export type ModelRequest = {
  messages: Message[]
  tools?: ToolSpec[]
  toolChoice?: ToolChoice
  /** JSON Schema that the answer must follow. */
  output?: JSONSchema
  /** Upper bound of the answer, in tokens. */
  maxOutputTokens?: number
  temperature?: number
  stop?: string[]
  reasoning?: 'none' | 'low' | 'medium' | 'high'
  parallelToolCalls?: boolean
}

export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  | {
      type: 'tool-call'
      callId: string
      name: string
      /** The parsed arguments; `undefined` when they do not parse. */
      input: unknown
      /** What the model wrote, when it does not parse. */
      inputText?: string
      /** Why the arguments do not parse. */
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
  /** Writing to the provider's cache; the price of input when absent. For a long prompt it rises as that of input does. */
  cacheWriteUsdPerMillion?: number
  /** What holds for the whole call once its prompt is longer than `aboveInputTokens`. */
  longPrompt?: {
    aboveInputTokens: number
    inputUsdPerMillion: number
    outputUsdPerMillion: number
    cachedInputUsdPerMillion?: number
  }
  /** ISO date on which the price was read. */
  asOf: string
}

/** What is known of a model; filled by provider packages. An unknown model never blocks. */
export type ModelInfo = {
  /** In tokens, prompt and answer together. */
  contextWindow?: number
  maxOutputTokens?: number
  price?: Price
  /** The most tokens that one image may count; 5,000 is assumed where it is absent. */
  imageTokens?: number
  /** Whether the provider can hold an answer to a JSON Schema. */
  nativeOutput?: 'always' | 'without-tools' | 'never'
}

/**
 * A model: one method, one attempt.
 *
 * `stream` yields deltas and whole tool calls, then exactly one `finish`, last. It never retries. A failure is
 * thrown as an `AgentKitError`, and a stream never ends quietly. An aborted signal ends it in `aborted`, or in
 * `timeout` when the signal's reason is a timeout; one that is aborted already makes no request.
 */
export interface Model {
  /** `provider/model`. */
  readonly id: string
  readonly info?: ModelInfo
  /** The longest silence between its events, in milliseconds; the agent's `modelTimeoutMs` when absent. */
  readonly eventTimeoutMs?: number
  /** Where `info` comes late: awaited before a run's first request. */
  load?(): Promise<void>
  /**
   * For models that watch each byte of their answers: the same model, whose longest silence, in milliseconds, is this
   * one before the first byte and between bytes, except where its factory was given others.
   */
  withDefaultTimeout?(timeoutMs: number): Model
  stream(request: ModelRequest, signal: AbortSignal): ModelStream
}

/** The events of one answer. A plain async generator is one. */
export interface ModelStream extends AsyncIterable<ModelEvent> {
  /**
   * The next event if it is here already: a burst is then taken without a promise for each of its tokens.
   * For streams that are their own iterator; between two calls of `next()`.
   */
  ready?(): ModelEvent | undefined
}

/** Turns texts into vectors. */
export interface Embedder {
  /** `provider/model`. */
  readonly id: string
  readonly dimensions?: number
  /** One vector per text, in order. `task` tells a document from a query where the model cares. */
  embed(texts: string[], signal: AbortSignal, task?: 'document' | 'query'): Promise<Float32Array[]>
}

export type ToolCall = Extract<ModelEvent, { type: 'tool-call' }>
