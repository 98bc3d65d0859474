import type { CacheControlEphemeral } from '@anthropic-ai/sdk/resources/messages'
import type { AnthropicRequest, Turn } from './types.ts'

/**
 * Marks up to where a prompt is cached: after the instructions, which follow the tools, and after the last and the
 * second-last user turn. The previous request ended at the second-last, which a long turn of calls would otherwise move
 * out of the API's reach. These are three marks of the four that the API takes.
 */
export function withCaching(body: AnthropicRequest): AnthropicRequest {
  if (!isReadAgain(body)) return body
  const { system, tools, messages } = body
  const marked: AnthropicRequest = { ...body, messages: withMarks(messages) }
  const lastText = system?.at(-1)
  const lastTool = tools?.at(-1)
  if (system && lastText) marked.system = [...system.slice(0, -1), { ...lastText, cache_control: mark }]
  else if (tools && lastTool) marked.tools = [...tools.slice(0, -1), { ...lastTool, cache_control: mark }]
  return marked
}

const mark: CacheControlEphemeral = { type: 'ephemeral' }

/** A single question without tools is sent once: caching it would only cost. */
function isReadAgain({ tools = [], messages }: AnthropicRequest): boolean {
  return tools.length > 0 || messages.some(({ role }) => role === 'assistant')
}

function withMarks(turns: readonly Turn[]): Turn[] {
  const last = turns.length - 1
  // Users and assistants alternate, and the last turn is a user's.
  return turns.map((turn, index) => (index === last || index === last - 2 ? withMark(turn) : turn))
}

function withMark({ role, content }: Turn): Turn {
  const last = content.at(-1)
  // The API refuses marks on thinking, which only an assistant's turn holds.
  if (!last || last.type === 'thinking' || last.type === 'redacted_thinking') return { role, content }
  return { role, content: [...content.slice(0, -1), { ...last, cache_control: mark }] }
}
