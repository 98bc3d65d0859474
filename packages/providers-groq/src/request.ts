import { type ModelRequest, toolCalls } from '@agentkit/core'
import {
  ChatReader,
  type ChatRequest,
  type ChatTool,
  type ErrorContext,
  isCommonImage,
  type MediaPart,
  type ModelFacts,
  type PreparedCall,
  postForStream,
  toChatRequest,
  wireToolName,
} from '@agentkit/wire'
import type { ChatCompletionCreateParamsStreaming } from 'groq-sdk/resources/chat/completions'
import type { Connection } from './connection.ts'
import { type GroqTraits, groqTraits } from './groq-traits.ts'

/** The body of a request to Groq, as far as agentkit sends it. */
export type GroqRequest = Omit<ChatRequest, 'stream_options' | 'response_format' | 'reasoning_effort'> &
  Pick<ChatCompletionCreateParamsStreaming, 'reasoning_effort' | 'reasoning_format' | 'disable_tool_validation'>

const path = '/openai/v1/chat/completions'

/** Maps a request to Groq's, and how it is sent. */
export function prepareCall(
  connection: Connection,
  context: ErrorContext,
  facts: ModelFacts | undefined,
): (request: ModelRequest) => PreparedCall {
  return (request) => {
    const { body, warnings } = toGroqRequest(context.model, request, facts)
    return {
      warnings,
      send: (signal) => postForStream(connection, path, body, { signal }),
      reader: new ChatReader(context, request),
    }
  }
}

/**
 * A streaming request as Groq takes it. What the model does not take is left out, with a warning.
 * @param facts what is known of the model
 */
export function toGroqRequest(
  model: string,
  request: ModelRequest,
  facts: ModelFacts | undefined,
): { body: GroqRequest; warnings: string[] } {
  const traits = groqTraits(model, facts)
  const { body: chat, warnings } = toChatRequest(model, request, {
    maxTokensField: 'max_completion_tokens',
    systemRole: 'system',
    strict: false,
    mostStops: 4,
    ...(traits.reasoning && { reasoningOwner: `groq/${model}` }),
    traits,
    reads: (part) => readsPart(part, facts),
  })
  // Groq reports usage without being asked.
  const { stream_options: _usage, response_format: schema, reasoning_effort: effort, ...body } = chat
  lowerLimit(body, facts, warnings)
  if (schema) warnings.push('Groq holds no answer that streams to a schema: `output` was left out.')
  return {
    body: { ...body, ...toolFields(request, body.tools), ...reasoningFields(model, effort, traits, warnings) },
    warnings,
  }
}

/** Groq refuses a limit above the model's longest answer. */
function lowerLimit(body: GroqRequest, facts: ModelFacts | undefined, warnings: string[]): void {
  const longest = facts?.maxOutputTokens
  if (longest === undefined || body.max_completion_tokens === undefined || body.max_completion_tokens <= longest) return
  warnings.push(`"${body.model}" answers with up to ${longest} tokens: \`maxOutputTokens\` was lowered to that.`)
  body.max_completion_tokens = longest
}

/** Whether the model takes a part: never a file, and an image unless the model is known to read none. */
function readsPart(part: MediaPart, facts: ModelFacts | undefined): boolean {
  return isCommonImage(part) && (facts === undefined || facts.reads?.includes('image') === true)
}

/**
 * Every tool that was ever called stays listed: Groq refuses a conversation with calls of other tools. Without its
 * validation, a call of an unknown tool arrives as a call, which core answers, instead of failing the whole answer.
 */
function toolFields(
  { messages, tools = [], toolChoice }: ModelRequest,
  listed: readonly ChatTool[] = [],
): Partial<GroqRequest> {
  const known = new Set(tools.map(({ name }) => name))
  const called = messages.flatMap((message) => (message.role === 'assistant' ? toolCalls(message) : []))
  const retired = new Set(called.map(({ name }) => wireToolName(name)).filter((name) => !known.has(name)))
  const all = [...listed, ...[...retired].map(retiredTool)]
  if (all.length === 0) return {}
  return {
    tools: all,
    ...(listed.length === 0 && { tool_choice: 'none' }),
    // Groq does not take it together with a tool that must be called.
    ...(listed.length > 0 && typeof toolChoice !== 'object' && { disable_tool_validation: true }),
  }
}

function retiredTool(name: string): ChatTool {
  const description = 'Gone: it cannot be called any more.'
  return { type: 'function', function: { name, description, parameters: { type: 'object', properties: {} } } }
}

function reasoningFields(
  model: string,
  effort: ChatRequest['reasoning_effort'],
  { efforts, reasoningFormat }: GroqTraits,
  warnings: string[],
): Partial<GroqRequest> {
  const fields: Partial<GroqRequest> = reasoningFormat ? { reasoning_format: 'parsed' } : {}
  if (effort === undefined || effort === 'minimal') return fields
  if (efforts === 'graded' || effort === 'none') return { ...fields, reasoning_effort: effort }
  warnings.push(`"${model}" reasons or does not: the effort "${effort}" was sent as "default".`)
  return { ...fields, reasoning_effort: 'default' }
}
