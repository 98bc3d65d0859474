import type { CacheControlEphemeral } from '@anthropic-ai/sdk/resources/messages'
import type { AnthropicRequest, Turn } from './types.ts'

/**
 * Marks what of a prompt is kept in the cache: the instructions with the tools before them, and the conversation up to
 * its last and its second-last question. The second-last is where the former request ended: a long turn of calls would
 * otherwise be too far away from it. Three marks of the four that the API takes.
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

/** A single question without tools is asked once; writing it to the cache would only cost. */
function isReadAgain({ tools = [], messages }: AnthropicRequest): boolean {
  return tools.length > 0 || messages.some(({ role }) => role === 'assistant')
}

function withMarks(turns: readonly Turn[]): Turn[] {
  const last = turns.length - 1
  // Users and assistants take turns, and a user's is the last.
  return turns.map((turn, index) => (index === last || index === last - 2 ? withMark(turn) : turn))
}

function withMark({ role, content }: Turn): Turn {
  const last = content.at(-1)
  // What Claude thought is not to be marked; only its own turns hold it.
  if (!last || last.type === 'thinking' || last.type === 'redacted_thinking') return { role, content }
  return { role, content: [...content.slice(0, -1), { ...last, cache_control: mark }] }
}
