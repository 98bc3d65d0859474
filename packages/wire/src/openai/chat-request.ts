import type { CachePlan, ModelRequest, ToolChoice, ToolSpec } from '@agentkit/core'
import { convertedOf } from '@agentkit/core/internal'
import { isCommonImage, type MediaPart } from '../messages/media.ts'
import { readableMessages } from '../messages/readable-messages.ts'
import { continuePrompt, wellFormed } from '../messages/text.ts'
import { withItems } from './array-items.ts'
import { type ChatRoles, toChatMessages } from './chat-messages.ts'
import type { ChatMessage, ChatRequest, ChatTool, ChatUserPart } from './chat-types.ts'
import { cacheFields, markEnds, withBreakpoint } from './prompt-cache.ts'
import { withStrictRoles } from './strict-roles.ts'
import { isStrictSchema, toolParameters } from './strict-schema.ts'
import { type ReasoningEffort, supportedOptions } from './supported-options.ts'
import type { OpenAITraits } from './traits.ts'

/** The differences between a server's Chat Completions and OpenAI's. */
export type ChatCompat = ChatRoles & {
  /** The name of the limit for output tokens. */
  maxTokensField: 'max_completion_tokens' | 'max_tokens'
  /** Whether to send `strict` with schemas; many servers do not know it. */
  strict: boolean
  /** The most texts to stop at; any number when absent. */
  mostStops?: number
  /** Whether the server may run a chat template that refuses messages in another order. */
  strictRoles?: boolean
  traits: OpenAITraits
  /** Whether the model takes an image or a file; images in common formats and PDFs when absent. */
  reads?(part: MediaPart): boolean
}

/**
 * A streaming request for Chat Completions.
 * @param model its id on the server
 */
export function toChatRequest(
  model: string,
  request: ModelRequest,
  compat: ChatCompat,
): { body: ChatRequest; warnings: string[] } {
  const warnings: string[] = []
  const readable = readableMessages(request.messages, compat.reads ?? readByChat, model, warnings)
  const converted = toChatMessages(readable, compat, convertedOf(request))
  const messages = compat.strictRoles ? withStrictRoles(converted, model) : converted
  const supported = supportedOptions(request, compat.traits, model, warnings)
  // All messages were blank; an empty list is rejected.
  if (messages.length === 0) messages.push({ role: 'user', content: continuePrompt })
  const { cache } = request
  const { caching } = compat.traits
  const body: ChatRequest = {
    model,
    messages: cache && caching === 'breakpoints' ? markedMessages(messages, cache) : messages,
    stream: true,
    stream_options: { include_usage: true },
    ...cacheFields(cache, caching),
  }
  if (request.tools?.length) {
    body.tools = request.tools.map((tool) => chatTool(tool, compat.strict))
    if (request.toolChoice !== undefined) body.tool_choice = toolChoice(request.toolChoice)
    if (supported.parallelToolCalls !== undefined) body.parallel_tool_calls = supported.parallelToolCalls
  }
  if (request.output) {
    const schema = withItems(request.output)
    const strict = compat.strict ? { strict: isStrictSchema(schema) } : {}
    body.response_format = { type: 'json_schema', json_schema: { name: 'answer', schema, ...strict } }
  }
  if (request.maxOutputTokens !== undefined) body[compat.maxTokensField] = request.maxOutputTokens
  if (supported.temperature !== undefined) body.temperature = supported.temperature
  if (supported.stop) body.stop = stopTexts(supported.stop, model, compat, warnings)
  const effort = chatEffort(supported.effort, model, request, compat.traits, warnings)
  if (effort !== undefined) body.reasoning_effort = effort
  return { body, warnings }
}

function stopTexts(
  stop: string[],
  model: string,
  { mostStops = stop.length }: Pick<ChatCompat, 'mostStops'>,
  warnings: string[],
): string[] {
  if (stop.length <= mostStops) return stop
  warnings.push(`"${model}" takes ${mostStops} texts to stop at: the rest of \`stop\` was left out.`)
  return stop.slice(0, mostStops)
}

function markedMessages(messages: readonly ChatMessage[], { marks }: CachePlan): ChatMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  return markEnds(messages, marks, {
    instructions: first === -1 ? messages.length : first,
    isAnswer: ({ role }) => role === 'assistant',
    inParts: (message) => withParts(message, (parts) => parts),
    marked: (message) => (partsOf(message).length > 0 ? withParts(message, withBreakpoint) : undefined),
  })
}

function partsOf({ role, content }: ChatMessage): ChatUserPart[] {
  if (role === 'assistant' || content === '') return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function withParts(message: ChatMessage, change: (parts: ChatUserPart[]) => ChatUserPart[]): ChatMessage {
  const parts = partsOf(message)
  // Messages of all other roles take parts, of texts alone where theirs is a text.
  return parts.length === 0 ? message : ({ ...message, content: change(parts) } as ChatMessage)
}

/** Chat Completions accepts images in common formats, and PDFs as bytes. */
function readByChat(part: MediaPart): boolean {
  if (part.type === 'image') return isCommonImage(part)
  return part.mediaType === 'application/pdf' && part.base64 !== undefined
}

function chatEffort(
  effort: ReasoningEffort | undefined,
  model: string,
  request: ModelRequest,
  { chatTools, leastEffort }: OpenAITraits,
  warnings: string[],
): ReasoningEffort | undefined {
  // A model that always reasons refuses `none` first: its refusal of tools names the API that takes them.
  if (!request.tools?.length || chatTools === 'always' || leastEffort !== 'none') return effort
  if (chatTools === 'default-effort' && effort === undefined) return undefined
  if (effort !== 'none') {
    warnings.push(`On Chat Completions "${model}" takes tools only without reasoning. Set api: 'responses' for both.`)
  }
  return 'none'
}

function chatTool({ name, description, inputSchema }: ToolSpec, saysStrict: boolean): ChatTool {
  const parameters = toolParameters(inputSchema)
  const strict = saysStrict ? { strict: isStrictSchema(parameters) } : {}
  return { type: 'function', function: { name, description: wellFormed(description), parameters, ...strict } }
}

function toolChoice(choice: ToolChoice): NonNullable<ChatRequest['tool_choice']> {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } }
}
