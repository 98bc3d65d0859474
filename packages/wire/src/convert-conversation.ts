import type { Message } from '@agentkit/core'
import { CallIds } from './call-ids.ts'

/** Converts messages that begin with a user's, or are the first. */
export type Convert<Item> = (messages: readonly Message[], ids: CallIds, warnings: string[]) => Item[]

/** What of one conversation has been converted: it grows with the conversation. */
type Known<Item> = { messages: Message[]; items: Item[]; warnings: string[]; ids: CallIds }

/** By the first message of a conversation, and gone with it. */
export type ConversationCache<Item> = WeakMap<Message, Known<Item>>

/**
 * Converts a conversation for a wire. Of messages that nobody can change (frozen ones, such as a session store hands
 * out) each is converted once, however often the conversation is sent; the rest is converted each time.
 *
 * @param cache of this conversion; one whose outcome depends on more than the messages needs a cache for each case
 */
export function convertConversation<Item>(
  messages: readonly Message[],
  cache: ConversationCache<Item>,
  toWireId: (callId: string) => string,
  convert: Convert<Item>,
  warnings: string[],
): Item[] {
  const first = messages[0]
  const settled = settledLength(messages)
  if (!first || settled === 0) return convert(messages, new CallIds(toWireId), warnings)
  let known = cache.get(first)
  if (!known || !isPrefix(known.messages, messages, settled)) {
    known = { messages: [], items: [], warnings: [], ids: new CallIds(toWireId) }
    cache.set(first, known)
  }
  const fresh = messages.slice(known.messages.length, settled)
  known.items.push(...convert(fresh, known.ids, known.warnings))
  known.messages.push(...fresh)
  warnings.push(...known.warnings)
  return [...known.items, ...convert(messages.slice(settled), new CallIds(toWireId, known.ids), warnings)]
}

/** How many messages can neither change nor be joined by a result: up to a user's message, all frozen. */
function settledLength(messages: readonly Message[]): number {
  let settled = 0
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') settled = index
    if (!Object.isFrozen(message)) break
  }
  return settled
}

function isPrefix(known: readonly Message[], messages: readonly Message[], settled: number): boolean {
  return known.length <= settled && known.every((message, index) => message === messages[index])
}
