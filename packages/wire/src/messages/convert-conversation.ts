import type { Message } from '@agentkit/core'
import { CallIds } from './call-ids.ts'
import { isBlank, wellFormed } from './text.ts'

/** Converts the messages of a conversation to the items of an API. */
export type Conversion<Item> = {
  /** Everything that the result depends on besides the messages, usually the model. */
  key: string
  /** Earlier results, by key. */
  caches: ConversionCaches<Item>
  /** The conversions of earlier requests of the same run, by `caches`. */
  ofRun: Map<object, unknown> | undefined
  /** Converts a call's id to one that the API accepts; deterministic. */
  toWireId(callId: string): string
  /** Converts messages from a user's message, or from the first one, on. */
  convert(messages: readonly Message[], ids: CallIds, warnings: string[]): Item[]
}

/** Converted conversations, by key and by their first message. */
export type ConversionCaches<Item> = Map<string, WeakMap<Message, Known<Item>>>

/** The converted part of a conversation. It grows with the conversation, and is collected with its first message. */
type Known<Item> = { messages: Message[]; items: Item[]; warnings: string[]; ids: CallIds }

/** The conversions of a run's messages, which follow `before`. */
type OfRun<Item> = Known<Item> & { key: string; before: CallIds | undefined }

/**
 * Converts a conversation for an API. A frozen message, such as a session store returns, is converted once, however often
 * the conversation is sent, and so is a message of the loop in a longer run. Other messages, and the instructions before
 * them, are converted each time.
 */
export function convertConversation<Item>(
  messages: readonly Message[],
  conversion: Conversion<Item>,
  warnings: string[] = [],
): Item[] {
  const { key, caches, toWireId, convert } = conversion
  const begin = messages.findIndex(({ role }) => role !== 'system')
  const rest = begin === -1 ? [] : messages.slice(begin)
  const items =
    begin === 0 ? [] : convert(messages.slice(0, messages.length - rest.length), new CallIds(toWireId), warnings)
  const first = rest[0]
  const cache = caches.get(key) ?? new WeakMap<Message, Known<Item>>()
  const earlier = first && cache.get(first)
  let known = earlier && beginsWith(rest, earlier.messages) ? earlier : undefined
  const settled = settledLength(rest, known?.messages.length ?? 0)
  if (!first || settled === 0) {
    return [...items, ...convertOfRun(rest, undefined, conversion, warnings)]
  }
  caches.set(key, cache)
  if (!known || settled < known.messages.length) {
    known = { messages: [], items: [], warnings: [], ids: new CallIds(toWireId) }
    cache.set(first, known)
  }
  const fresh = rest.slice(known.messages.length, settled)
  addAll(known.items, convert(fresh, known.ids, known.warnings))
  addAll(known.messages, fresh)
  addAll(warnings, known.warnings)
  return [...items, ...known.items, ...convertOfRun(rest.slice(settled), known.ids, conversion, warnings)]
}

/**
 * Converts the messages that are not settled. Within one run, the messages of earlier requests are the same, unchanged
 * objects.
 */
function convertOfRun<Item>(
  messages: readonly Message[],
  before: CallIds | undefined,
  { key, caches, ofRun, toWireId, convert }: Conversion<Item>,
  warnings: string[],
): readonly Item[] {
  if (!ofRun) return convert(messages, new CallIds(toWireId, before), warnings)
  // Only this function writes to it, by the caches of this conversion.
  const earlier = ofRun.get(caches) as OfRun<Item> | undefined
  const isContinued =
    earlier?.key === key &&
    earlier.before === before &&
    beginsWith(messages, earlier.messages) &&
    // Messages after an answer's results are converted apart from them; a late result is not.
    (messages[earlier.messages.length]?.role ?? 'assistant') === 'assistant'
  const known: OfRun<Item> = isContinued
    ? earlier
    : { key, before, messages: [], items: [], warnings: [], ids: new CallIds(toWireId, before) }
  const fresh = messages.slice(known.messages.length)
  addAll(known.items, convert(fresh, known.ids, known.warnings))
  addAll(known.messages, fresh)
  ofRun.set(caches, known)
  addAll(warnings, known.warnings)
  return known.items
}

/**
 * The number of messages that cannot change or get another result: the frozen messages before the last user's message.
 * @param known the number of messages that were settled in an earlier request
 */
function settledLength(messages: readonly Message[], known: number): number {
  const begin = messages[known]?.role === 'user' ? known : 0
  let settled = begin
  for (let index = begin; index < messages.length; index++) {
    const message = messages[index] as Message
    if (message.role === 'user') settled = index
    if (!Object.isFrozen(message)) break
  }
  return settled
}

function beginsWith(messages: readonly Message[], known: readonly Message[]): boolean {
  if (messages.length < known.length) return false
  for (let index = 0; index < known.length; index++) if (messages[index] !== known[index]) return false
  return true
}

/**
 * Separates the instructions (the system messages at the start, without blank ones) from the conversation, for APIs with a
 * field for them.
 */
export function splitInstructions(messages: readonly Message[]): { instructions: string; rest: Message[] } {
  const instructions: string[] = []
  let first = 0
  for (let message = messages[0]; message?.role === 'system'; message = messages[++first]) {
    if (!isBlank(message.content)) instructions.push(wellFormed(message.content))
  }
  return { instructions: instructions.join('\n\n'), rest: messages.slice(first) }
}

/** Not `push(...)`: a conversation may have more messages than a call takes arguments. */
function addAll<Value>(list: Value[], values: readonly Value[]): void {
  for (const value of values) list.push(value)
}
