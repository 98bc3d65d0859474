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
  /** Gone from the newest version of the API, and from the SDK's types with it. */
  temperature?: number
  thinking?: Thinking
}

export type Thinking = ThinkingConfigParam & {
  /** A beta feature, and so not in the SDK's types of this request. */
  block_binding?: { prefix_mismatch_behavior: 'drop_block' }
}
