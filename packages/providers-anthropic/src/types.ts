import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  TextBlockParam,
  ThinkingConfigParam,
} from '@anthropic-ai/sdk/resources/messages'

/** One turn of a conversation. */
export type Turn = { role: 'user' | 'assistant'; content: ContentBlockParam[] }

/** A request to the Messages API. */
export type AnthropicRequest = Omit<MessageCreateParamsStreaming, 'messages' | 'system' | 'thinking'> & {
  messages: Turn[]
  system?: TextBlockParam[]
  /** Removed from the newest version of the API, and so from the SDK's types. */
  temperature?: number
  thinking?: Thinking
}

export type Thinking = ThinkingConfigParam & {
  /** A beta feature, which the SDK's types of this request lack. */
  block_binding?: { prefix_mismatch_behavior: 'drop_block' }
}

/** The fields that are read; servers omit any of them, or send null. */
export type StreamEvent = {
  type?: string
  index?: number
  message?: WholeMessage | null
  content_block?: Block | null
  delta?: (BlockDelta & StopDelta) | null
  usage?: unknown
  error?: unknown
}
export type BlockDelta = {
  type?: string
  text?: unknown
  thinking?: unknown
  signature?: unknown
  partial_json?: unknown
}
export type StopDelta = { stop_reason?: string | null; stop_details?: StopDetails | null }
export type StopDetails = { category?: string | null; explanation?: string | null }
export type WholeMessage = StopDelta & { content?: (Block | null)[] | null; usage?: unknown }
export type Block = {
  type?: string
  text?: unknown
  thinking?: unknown
  signature?: unknown
  data?: unknown
  id?: unknown
  name?: unknown
  input?: unknown
}
