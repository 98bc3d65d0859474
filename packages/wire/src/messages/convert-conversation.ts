import type { Message } from '@agentkit/core'
import { CallIds } from './call-ids.ts'

/** How the messages of a conversation become what an API takes. */
export type Conversion<Item> = {
  /** What the outcome depends on beside the messages, as a text: mostly the model that reads them. */
  key: string
  /** What has been converted before, by key. */
  caches: ConversionCaches<Item>
  /** Gives a call's id as the API takes it; the same for the same id. */
  toWireId(callId: string): string
  /** Converts messages that begin with a user's, or are the first. */
  convert(messages: readonly Message[], ids: CallIds, warnings: string[]): Item[]
}

/** What has been converted, by the key of its conversion. */
export type ConversionCaches<Item> = Map<string, WeakMap<Message, Known<Item>>>

/** What of one conversation has been converted: it grows with the conversation, and is gone with its first message. */
type Known<Item> = { messages: Message[]; items: Item[]; warnings: string[]; ids: CallIds }

/**
 * Converts a conversation for a wire. Of messages that nobody can change (frozen ones, such as a session store hands
 * out) each is converted once, however often the conversation is sent; the rest is converted each time, and so are the
 * instructions that stand before it.
 */
export function convertConversation<Item>(
  messages: readonly Message[],
  { key, caches, toWireId, convert }: Conversion<Item>,
  warnings: string[] = [],
): Item[] {
  const begin = messages.findIndex(({ role }) => role !== 'system')
  const rest = begin === -1 ? [] : messages.slice(begin)
  const items =
    begin === 0 ? [] : convert(messages.slice(0, messages.length - rest.length), new CallIds(toWireId), warnings)
  const first = rest[0]
  const settled = settledLength(rest)
  if (!first || settled === 0) {
    items.push(...convert(rest, new CallIds(toWireId), warnings))
    return items
  }
  const cache = caches.get(key) ?? new WeakMap<Message, Known<Item>>()
  caches.set(key, cache)
  let known = cache.get(first)
  if (!known || !isPrefix(known.messages, rest, settled)) {
    known = { messages: [], items: [], warnings: [], ids: new CallIds(toWireId) }
    cache.set(first, known)
  }
  const fresh = rest.slice(known.messages.length, settled)
  known.items.push(...convert(fresh, known.ids, known.warnings))
  known.messages.push(...fresh)
  warnings.push(...known.warnings)
  return [...items, ...known.items, ...convert(rest.slice(settled), new CallIds(toWireId, known.ids), warnings)]
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
