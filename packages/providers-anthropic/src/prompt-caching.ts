import type { CachePlan } from '@agentkit/core'
import type { CacheControlEphemeral } from '@anthropic-ai/sdk/resources/messages'
import type { AnthropicRequest, Turn } from './types.ts'

/**
 * Marks up to where a prompt is cached: three marks of the four that the API takes. Where the previous request ended, a
 * long turn of calls would otherwise move out of the API's reach.
 */
export function withCaching(body: AnthropicRequest, { marks }: CachePlan): AnthropicRequest {
  const { messages } = body
  // Users and assistants alternate, and the last turn is a user's.
  const last = messages.length - 1
  const marked = new Set<number>()
  if (marks.includes('end')) marked.add(last)
  if (marks.includes('previous')) marked.add(last - 2)
  return {
    ...body,
    ...(marks.includes('instruction') && withHeadMarked(body)),
    messages: messages.map((turn, index) => (marked.has(index) ? withMark(turn) : turn)),
  }
}

const mark: CacheControlEphemeral = { type: 'ephemeral' }

/** The instruction follows the tools. */
function withHeadMarked({ system, tools }: AnthropicRequest): Pick<AnthropicRequest, 'system' | 'tools'> {
  const lastText = system?.at(-1)
  const lastTool = tools?.at(-1)
  if (system && lastText) return { system: [...system.slice(0, -1), { ...lastText, cache_control: mark }] }
  return tools && lastTool ? { tools: [...tools.slice(0, -1), { ...lastTool, cache_control: mark }] } : {}
}

function withMark({ role, content }: Turn): Turn {
  const last = content.at(-1)
  // The API refuses marks on thinking, which only an assistant's turn holds.
  if (!last || last.type === 'thinking' || last.type === 'redacted_thinking') return { role, content }
  return { role, content: [...content.slice(0, -1), { ...last, cache_control: mark }] }
}
