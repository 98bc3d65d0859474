import { continuePrompt } from '@agentkit/wire'
import type { ChatCompletionStreamRequest } from '@mistralai/mistralai/models/components/chatcompletionstreamrequest.js'

export type MistralMessage = ChatCompletionStreamRequest['messages'][number]

/**
 * Puts messages into an order that Mistral takes: no user message directly after a tool's, no system message in the
 * middle, consecutive user messages joined, and a user's or a tool's message at the end.
 */
export function inOrder(messages: readonly MistralMessage[]): MistralMessage[] {
  const ordered: MistralMessage[] = []
  for (const message of messages) {
    const before = ordered.at(-1)
    const next = message.role === 'system' && before && mayNotPrecedeSystem.has(before.role) ? asUser(message) : message
    if (next.role === 'user' && before?.role === 'tool') ordered.push({ role: 'assistant', content: 'Understood.' })
    if (next.role === 'user' && before?.role === 'user') ordered[ordered.length - 1] = joined(before, next)
    else ordered.push(next)
  }
  const last = ordered.at(-1)?.role
  if (last !== 'user' && last !== 'tool') ordered.push({ role: 'user', content: continuePrompt })
  return ordered
}

const mayNotPrecedeSystem: ReadonlySet<string> = new Set(['assistant', 'tool'])

type UserMessage = Extract<MistralMessage, { role: 'user' }>

function asUser({ content }: Extract<MistralMessage, { role: 'system' }>): UserMessage {
  return { role: 'user', content: typeof content === 'string' ? content : [...content] }
}

function joined(first: UserMessage, second: UserMessage): UserMessage {
  if (typeof first.content === 'string' && typeof second.content === 'string') {
    return { role: 'user', content: `${first.content}\n\n${second.content}` }
  }
  return { role: 'user', content: [...chunksOf(first), ...chunksOf(second)] }
}

function chunksOf({ content }: UserMessage): Exclude<UserMessage['content'], string | null> {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
}
