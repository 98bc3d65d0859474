import { type ModelRequest, toolCalls } from '@agentkit/core'
import {
  type ChatRequest,
  type ChatTool,
  type ModelFacts,
  readableMessages,
  toChatRequest,
  wireToolName,
} from '@agentkit/wire'
import type { ChatCompletionCreateParamsStreaming } from 'groq-sdk/resources/chat/completions'
import { type GroqTraits, groqTraits } from './model-traits.ts'

/** The body of a request to Groq, as far as agentkit sends it. */
export type GroqRequest = Omit<ChatRequest, 'stream_options' | 'response_format' | 'reasoning_effort'> &
  Pick<ChatCompletionCreateParamsStreaming, 'reasoning_effort' | 'reasoning_format' | 'disable_tool_validation'>

/**
 * A request as Groq takes it, streaming.
 * @param facts what is known of the model
 */
export function toGroqRequest(
  model: string,
  request: ModelRequest,
  facts: ModelFacts | undefined,
): { body: GroqRequest; warnings: string[] } {
  const traits = groqTraits(model, facts)
  const unread: string[] = []
  const messages = [...readableMessages(request.messages, reader(facts), model, unread)]
  const { body: chat, warnings } = toChatRequest(
    model,
    { ...request, messages },
    {
      maxTokensField: 'max_completion_tokens',
      systemRole: 'system',
      strict: false,
      ...(traits.reasoning && { reasoningOwner: `groq/${model}` }),
      traits,
    },
  )
  warnings.unshift(...unread)
  // Usage comes unasked.
  const { stream_options: _usage, response_format: schema, reasoning_effort: effort, ...body } = chat
  bound(body, facts, warnings)
  if (schema) warnings.push('Groq holds no answer that streams to a schema: `output` was left out.')
  return {
    body: { ...body, ...toolFields(request, body.tools), ...reasoningFields(model, effort, traits, warnings) },
    warnings,
  }
}

const mostStops = 4

/** Groq refuses more than its bounds, which are no reason to fail. */
function bound(body: GroqRequest, facts: ModelFacts | undefined, warnings: string[]): void {
  const most = facts?.maxOutputTokens ?? Number.POSITIVE_INFINITY
  if (body.max_completion_tokens !== undefined) body.max_completion_tokens = Math.min(body.max_completion_tokens, most)
  if (body.stop === undefined || body.stop.length <= mostStops) return
  warnings.push(`Groq takes ${mostStops} texts to stop at: the rest of \`stop\` was left out.`)
  body.stop = body.stop.slice(0, mostStops)
}

/** Which parts the model reads; files it never does. */
function reader(facts: ModelFacts | undefined): Parameters<typeof readableMessages>[1] {
  const readsImages = facts?.reads === undefined ? facts === undefined : facts.reads.includes('image')
  return (part) => readsImages && (part.type === 'image' || part.mediaType.startsWith('image/'))
}

/**
 * Every tool that was ever called stays listed, or Groq refuses the conversation that holds the call. A call of a tool
 * that there is not comes as a call, which core answers; else it fails the whole answer.
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
