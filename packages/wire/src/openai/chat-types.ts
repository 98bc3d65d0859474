import type { JSONSchema, JSONValue } from '@agentkit/core'
import type { Breakpoint, CacheFields } from './prompt-cache.ts'
import type { ReasoningEffort } from './supported-options.ts'

/** The body of a Chat Completions request: the fields that agentkit sends. */
export type ChatRequest = CacheFields & {
  model: string
  messages: ChatMessage[]
  stream: true
  stream_options?: { include_usage: true }
  tools?: ChatTool[]
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'function'; function: { name: string } }
  parallel_tool_calls?: boolean
  response_format?: { type: 'json_schema'; json_schema: { name: string; schema: JSONSchema; strict?: boolean } }
  max_completion_tokens?: number
  max_tokens?: number
  temperature?: number
  stop?: string[]
  reasoning_effort?: ReasoningEffort
}

export type ChatMessage =
  | { role: 'system' | 'developer'; content: string | ChatTextPart[] }
  | { role: 'user'; content: string | ChatUserPart[] }
  | {
      role: 'assistant'
      content: string | null
      reasoning?: string
      reasoning_content?: string
      tool_calls?: ChatToolCall[]
    }
  | { role: 'tool'; tool_call_id: string; content: string | ChatTextPart[] }

export type ChatTextPart = { type: 'text'; text: string } & Breakpoint

export type ChatUserPart =
  | ChatTextPart
  | ({ type: 'image_url'; image_url: { url: string } } & Breakpoint)
  | ({ type: 'file'; file: { filename: string; file_data: string } } & Breakpoint)

export type ChatToolCall = {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
  extra_content?: JSONValue
}

/** A tool as Chat Completions takes it. */
export type ChatTool = {
  type: 'function'
  function: { name: string; description: string; parameters: JSONSchema; strict?: boolean }
}
