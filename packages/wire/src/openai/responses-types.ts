import type { JSONSchema } from '@agentkit/core'
import type { Breakpoint, CacheFields } from './prompt-cache.ts'
import type { ReasoningEffort } from './supported-options.ts'

/** The body of a Responses request: the fields that agentkit sends. */
export type ResponsesRequest = CacheFields & {
  model: string
  input: ResponsesItem[]
  instructions?: string
  stream: true
  store: false
  include?: 'reasoning.encrypted_content'[]
  tools?: ResponsesTool[]
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'function'; name: string }
  parallel_tool_calls?: boolean
  text?: { format: { type: 'json_schema'; name: string; schema: JSONSchema; strict: boolean } }
  max_output_tokens?: number
  temperature?: number
  reasoning?: { effort: ReasoningEffort; summary?: 'auto' }
}

export type ResponsesItem =
  | { type: 'message'; role: 'developer'; content: string | ResponsesInputPart[] }
  | { type: 'message'; role: 'user'; content: ResponsesInputPart[] }
  | ResponsesAssistantItem
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | ResponsesInputPart[] }
  | ResponsesReasoningItem

export type ResponsesAssistantItem = {
  type: 'message'
  role: 'assistant'
  content: string
  phase?: 'commentary' | 'final_answer'
}

export type ResponsesReasoningItem = {
  type: 'reasoning'
  id: string
  summary: { type: 'summary_text'; text: string }[]
  encrypted_content: string
}

export type ResponsesInputPart = Breakpoint &
  (
    | { type: 'input_text'; text: string }
    | { type: 'input_image'; image_url: string; detail: 'auto' }
    | { type: 'input_file'; filename: string; file_data: string }
    | { type: 'input_file'; file_url: string }
  )

export type ResponsesTool = {
  type: 'function'
  name: string
  description: string
  parameters: JSONSchema
  strict: boolean
}
