import type { Message } from '@agentkit/core'

/**
 * The earlier messages of a conversation, without those of other roles.
 *
 * They begin with the first message of the user: models reject a greeting before it, and messages without text.
 */
export function toHistory(entries: readonly { role: string; content: string }[]): Message[] {
  const history: Message[] = []
  for (const { role, content } of entries) {
    if (content === '' || (role === 'assistant' && history.length === 0)) continue
    if (role === 'user') history.push({ v: 1, role, content })
    if (role === 'assistant') history.push({ v: 1, role, content: [{ type: 'text', text: content }] })
  }
  return history
}
