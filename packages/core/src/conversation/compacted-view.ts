import type { Message, ToolMessage, UserMessage } from '../data/message.ts'
import { removedResult, resultText, shownResult } from './long-results.ts'

/** A result that is cut to less is useless. */
export const leastResultTokens = 200

/**
 * Which messages of a conversation are sent shortened. Plain JSON: it is stored in the session's state, so that the next
 * run sends the same beginning, which providers have cached.
 */
export type Compaction = {
  /** The number of messages, from the first, that the summary replaces. */
  covered: number
  summary?: string
  /** Tool results before this index are sent as placeholders. */
  cleared: number
  /** Tool results before `before` are cut to `tokens` each: those of one step were too long together. */
  cut?: { before: number; resultTokens: number }
  /** The indexes of tool results that none of this shortens: where the summary replaces them, they are appended to it. */
  kept?: number[]
}

export const notCompacted: Compaction = Object.freeze({ covered: 0, cleared: 0 })

/**
 * The messages as they are sent; `messages` itself when nothing is shortened. Copies are made once and frozen.
 *
 * @param questionAt the index of the current user message
 * @param resultTokens the most tokens that the text of one tool result may take
 */
export function compactedView(
  messages: readonly Message[],
  compaction: Compaction,
  questionAt: number,
  resultTokens: number = Number.POSITIVE_INFINITY,
): readonly Message[] {
  if (compaction === notCompacted && resultTokens === Number.POSITIVE_INFINITY) return messages
  const { covered } = compaction
  let shown: Message[] | undefined
  if (covered > 0) {
    shown = [summaryMessage(compaction, messages, resultTokens)]
    const question = covered > questionAt ? messages[questionAt] : undefined
    if (question) shown.push(question)
  }
  for (let index = covered; index < messages.length; index++) {
    const message = messages[index] as Message
    const visible = message.role === 'tool' ? visibleResult(message, index, compaction, resultTokens) : message
    if (visible !== message) shown ??= messages.slice(0, index)
    shown?.push(visible)
  }
  return shown ?? messages
}

/**
 * The stored compaction of these messages. What does not match them is corrected or dropped, as the messages are the
 * truth.
 */
export function readCompaction(stored: unknown, messages: readonly Message[]): Compaction {
  if (typeof stored !== 'object' || stored === null) return notCompacted
  const { covered, summary, cleared, cut, kept } = stored as Record<keyof Compaction, unknown>
  const compaction: Compaction = { covered: 0, cleared: toIndex(cleared, messages) }
  // The last messages are never covered: a compaction that covers as many is of another conversation.
  const isOfThese = typeof covered === 'number' && covered < messages.length && toIndex(covered, messages) === covered
  if (isOfThese && covered > 0 && typeof summary === 'string') {
    compaction.covered = startOfGroup(messages, covered)
    compaction.summary = summary
  }
  // Stored data: its fields may have any type.
  const { before, resultTokens } = (cut ?? {}) as Record<keyof NonNullable<Compaction['cut']>, unknown>
  if (typeof resultTokens === 'number' && resultTokens >= leastResultTokens) {
    compaction.cut = { before: toIndex(before, messages), resultTokens }
  }
  const indexes: number[] = Array.isArray(kept) ? kept.filter((index) => isKept(messages[index])) : []
  if (indexes.length > 0) compaction.kept = indexes
  return compaction
}

/** Whether the tool of a result wants it kept. */
export function isKept(message: Message | undefined): message is ToolMessage {
  return message?.role === 'tool' && message.kept === true
}

function toIndex(value: unknown, { length }: readonly Message[]): number {
  return Number.isInteger(value) ? Math.min(Math.max(0, value as number), length) : 0
}

/** The index of the message that begins a message's group: calls and their results are one group. */
export function startOfGroup(messages: readonly Message[], index: number): number {
  let start = index
  while (start > 0 && messages[start]?.role === 'tool') start--
  return start
}

const summaryMessages = new WeakMap<Compaction, { resultTokens: number; message: UserMessage }>()

function summaryMessage(compaction: Compaction, messages: readonly Message[], resultTokens: number): UserMessage {
  const known = summaryMessages.get(compaction)
  if (known?.resultTokens === resultTokens) return known.message
  const { covered, summary = '', kept = [] } = compaction
  const results = kept.flatMap((index) => {
    const result = index < covered ? messages[index] : undefined
    if (!isKept(result)) return []
    return `\n\n[Result of ${result.name}, as it was]\n${resultText(shownResult(result, resultTokens))}`
  })
  const content = `[Summary of the earlier conversation]\n${summary}${results.join('')}`
  const message = Object.freeze<UserMessage>({ v: 1, role: 'user', content })
  summaryMessages.set(compaction, { resultTokens, message })
  return message
}

/** A tool result as it is sent at its index. */
export function visibleResult(
  message: ToolMessage,
  index: number,
  compaction: Compaction,
  resultTokens: number,
): ToolMessage {
  const { cleared, cut, kept } = compaction
  if (kept?.includes(index)) return shownResult(message, resultTokens)
  if (index < cleared) return removedResult(message)
  return shownResult(message, cut && index < cut.before ? Math.min(cut.resultTokens, resultTokens) : resultTokens)
}
