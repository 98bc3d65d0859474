import { AgentKitError } from './errors.ts'
import { estimateMessage, estimateText } from './estimate-tokens.ts'
import { beginning, foldMessages } from './fold-messages.ts'
import { largest, removedResult, resultText, shownResult } from './long-results.ts'
import type { Message, ToolMessage, UserMessage } from './message.ts'
import type { ModelInfo } from './model.ts'
import { cutMiddle, spokenText } from './summary-prompt.ts'
import { toolCalls } from './transcript.ts'

/**
 * What of a conversation is shown shortened. Plain JSON: it is stored in the session's state, so that the next run
 * sends the same beginning, which providers have cached.
 */
export type Compaction = {
  /** Messages from the beginning that the summary stands for. */
  covered: number
  summary?: string
  /** Tool results before this index are shown as placeholders. */
  cleared: number
  /** Tool results before the index take at most so many tokens each: those of one step were too long together. */
  cut?: { before: number; resultTokens: number }
}

export const notCompacted: Compaction = Object.freeze({ covered: 0, cleared: 0 })

export type CompactRequest = {
  /** The whole conversation without the system message: the history, then this run's messages. */
  messages: readonly Message[]
  compaction: Compaction
  /** Where the current user message stands. It is always shown, and whole. */
  questionAt: number
  /** The most that the shown messages may take, in tokens. */
  room: number
  /** The most that the text of one tool result may take, in tokens. */
  resultTokens: number
  info?: ModelInfo | undefined
  /** One model call without tools; rejects when it fails. */
  summarise(messages: Message[], maxOutputTokens: number): Promise<string>
}

/** Parts of the room. */
const shares = {
  /** Down to here old results are removed at once, so that the beginning then stays the same for many steps. */
  afterClearing: 0.6,
  /** What stays as it is of the last messages beside a summary. */
  kept: 0.4,
  summary: 0.25,
}
/** Less says nothing. */
const leastSummaryTokens = 64
const leastResultTokens = 200
/** What a summary holds of the conversation's first message, at most. */
const firstMessageTokens = 150

/**
 * Makes room in a conversation that has become too long: removes old tool results, then folds old messages into a
 * summary, then cuts the last results. Calls stay with their results, and the question stays whole.
 *
 * @throws AgentKitError `context-overflow` when the question and the last step do not fit whatever is done
 * @throws what `summarise` rejects with when that ends the run; when it fails otherwise, a warning says so
 */
export async function compact(request: CompactRequest): Promise<{ compaction: Compaction; warnings: string[] }> {
  const cleared = clearOldResults(request)
  if (fits(request, cleared)) return { compaction: cleared, warnings: [] }
  const covered = startOfKept(request, cleared)
  const cut = isLittle(request, cleared, covered) ? cutResults(request, cleared) : undefined
  if (cut) return { compaction: cut, warnings: [] }
  const { compaction, warnings } = await foldOldMessages(request, cleared, covered)
  if (fits(request, compaction)) return { compaction, warnings }
  // Where their beginnings do not fit, none is shown: they can be read again one by one.
  const removed: Compaction = { ...compaction, cleared: request.messages.length }
  return { compaction: cutResults(request, compaction) ?? removed, warnings }
}

/**
 * The messages as a model is shown them; `messages` itself when nothing is shortened. Copies are made once and frozen.
 *
 * @param questionAt where the current user message stands
 * @param resultTokens the most that the text of one tool result may take
 */
export function shownMessages(
  messages: readonly Message[],
  compaction: Compaction,
  questionAt: number,
  resultTokens: number = Number.POSITIVE_INFINITY,
): readonly Message[] {
  const { covered } = compaction
  let shown: Message[] | undefined
  if (covered > 0) {
    shown = [summaryMessage(compaction)]
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
 * What was stored of a conversation's compaction, as far as it can be of these messages: what does not fit them is
 * mended, or left out, as the messages themselves are always right.
 */
export function readCompaction(stored: unknown, messages: readonly Message[]): Compaction {
  if (typeof stored !== 'object' || stored === null) return notCompacted
  const { covered, summary, cleared, cut } = stored as Record<keyof Compaction, unknown>
  const compaction: Compaction = { covered: 0, cleared: toIndex(cleared, messages) }
  // The last messages are never covered: one that stands for as many as there are was made of others.
  const isOfThese = typeof covered === 'number' && covered < messages.length && toIndex(covered, messages) === covered
  if (isOfThese && covered > 0 && typeof summary === 'string') {
    compaction.covered = startOfGroup(messages, covered)
    compaction.summary = summary
  }
  const { before, resultTokens } = (cut ?? {}) as Record<keyof NonNullable<Compaction['cut']>, unknown>
  if (typeof resultTokens === 'number' && resultTokens >= leastResultTokens) {
    compaction.cut = { before: toIndex(before, messages), resultTokens }
  }
  return compaction
}

function toIndex(value: unknown, { length }: readonly Message[]): number {
  return Number.isInteger(value) ? Math.min(Math.max(0, value as number), length) : 0
}

/** Where the group begins that a message belongs to: calls and their results are one. */
function startOfGroup(messages: readonly Message[], index: number): number {
  let start = index
  while (start > 0 && messages[start]?.role === 'tool') start--
  return start
}

const summaryMessages = new WeakMap<Compaction, UserMessage>()

function summaryMessage(compaction: Compaction): UserMessage {
  let message = summaryMessages.get(compaction)
  if (message === undefined) {
    const content = `[Summary of the earlier conversation]\n${compaction.summary ?? ''}`
    message = Object.freeze<UserMessage>({ v: 1, role: 'user', content })
    summaryMessages.set(compaction, message)
  }
  return message
}

function visibleResult(message: ToolMessage, index: number, compaction: Compaction, resultTokens: number): ToolMessage {
  const { cleared, cut } = compaction
  if (index < cleared) return removedResult(message)
  return shownResult(message, cut && index < cut.before ? Math.min(cut.resultTokens, resultTokens) : resultTokens)
}

function fits(request: CompactRequest, compaction: Compaction): boolean {
  return tokensShown(request, compaction) <= request.room
}

function tokensShown(request: CompactRequest, compaction: Compaction): number {
  const { messages, questionAt, resultTokens, info } = request
  let tokens = 0
  for (const message of shownMessages(messages, compaction, questionAt, resultTokens)) {
    tokens += estimateMessage(message, info)
  }
  return tokens
}

/** Removes tool results, the oldest first, but for those of the last two steps. */
function clearOldResults(request: CompactRequest): Compaction {
  const { messages, compaction, room, resultTokens, info } = request
  const end = lastStep(messages, lastStep(messages, messages.length) ?? 0) ?? 0
  let tokens = tokensShown(request, compaction)
  let { cleared } = compaction
  for (let index = Math.max(compaction.covered, cleared); index < end; index++) {
    if (tokens <= room * shares.afterClearing) break
    const message = messages[index] as Message
    if (message.role !== 'tool') continue
    tokens -= estimateMessage(visibleResult(message, index, compaction, resultTokens), info)
    tokens += estimateMessage(removedResult(message), info)
    cleared = index + 1
  }
  return cleared === compaction.cleared ? compaction : { ...compaction, cleared }
}

/** Where the last message with calls stands before an index. */
function lastStep(messages: readonly Message[], end: number): number | undefined {
  for (let index = end - 1; index >= 0; index--) {
    const message = messages[index] as Message
    if (message.role === 'assistant' && toolCalls(message).length > 0) return index
  }
  return undefined
}

/** The last messages that stay beside the summary and the question; the last step in any case. */
function startOfKept(request: CompactRequest, compaction: Compaction): number {
  const { messages, questionAt, room, resultTokens, info } = request
  const step = lastStep(messages, messages.length) ?? 0
  const always = step > questionAt ? step : startOfGroup(messages, messages.length - 1)
  let start = messages.length
  let tokens = estimateMessage(messages[questionAt] as Message, info)
  for (let index = messages.length - 1; index >= compaction.covered; index--) {
    const message = messages[index] as Message
    const visible = message.role === 'tool' ? visibleResult(message, index, compaction, resultTokens) : message
    if (index !== questionAt) tokens += estimateMessage(visible, info)
    if (message.role === 'tool') continue
    if (index < always && tokens > room * shares.kept) break
    start = index
  }
  // The question is shown anyway: a summary of it would free nothing.
  return start === questionAt + 1 && start > compaction.covered ? questionAt : start
}

/** Whether what a summary would stand for takes no more than a summary may. */
function isLittle(request: CompactRequest, compaction: Compaction, covered: number): boolean {
  const without = tokensShown(request, { ...compaction, covered, summary: '' })
  return tokensShown(request, compaction) - without <= request.room * shares.summary
}

async function foldOldMessages(
  request: CompactRequest,
  compaction: Compaction,
  covered: number,
): Promise<{ compaction: Compaction; warnings: string[] }> {
  const { messages, room, summarise } = request
  const least = tokensShown(request, { covered, cleared: messages.length })
  const summaryTokens = Math.floor(Math.min(room * shares.summary, room - least))
  if (summaryTokens < (covered > 0 ? leastSummaryTokens : 0)) throw overflow(request, least)
  if (covered === 0) return { compaction, warnings: [] }
  const { summary, warning } = await foldMessages({
    summary: compaction.summary ?? '',
    messages: messages.slice(compaction.covered, covered),
    room,
    summaryTokens,
    summarise,
  })
  const isMade = warning === undefined && summary !== compaction.summary
  return {
    compaction: {
      ...compaction,
      covered,
      summary: isMade ? withBeginning(summary, messages, summaryTokens) : summary,
      cleared: Math.max(compaction.cleared, covered),
    },
    warnings: warning === undefined ? [] : [warning],
  }
}

const beginningMark = 'The conversation began with: '

/** How the conversation began stands in every summary that a model makes: mostly it says what it is about. */
function withBeginning(summary: string, [first]: readonly Message[], summaryTokens: number): string {
  const began = first ? beginning(spokenText(first), Math.min(firstMessageTokens, summaryTokens / 3)) : ''
  if (began === '' || summary.includes(began) || summary.includes(beginningMark)) return summary
  const line = `\n${beginningMark}${began}`
  return cutMiddle(summary, summaryTokens - estimateText(line)) + line
}

/**
 * Cuts the results that are still shown, so that they leave some room for the next step; `undefined` when too little of
 * them would be left.
 */
function cutResults(request: CompactRequest, compaction: Compaction): Compaction | undefined {
  const { messages, room } = request
  const { cut: _earlier, ...uncut } = compaction
  const results = messages.slice(Math.max(uncut.covered, uncut.cleared)).filter((message) => message.role === 'tool')
  const sizes = results.map((message) => estimateText(resultText(shownResult(message, request.resultTokens))))
  const together = (most: number): number => sizes.reduce((tokens, size) => tokens + Math.min(size, most), 0)
  const rest = tokensShown(request, uncut) - together(Number.POSITIVE_INFINITY)
  const target = Math.max(room * shares.afterClearing - rest, (room - rest) / 2)
  const each = largest(Math.max(0, ...sizes), (most) => together(most) <= target)
  const resultTokens = Math.max(leastResultTokens, each)
  const cut: Compaction = { ...uncut, cut: { before: messages.length, resultTokens } }
  return fits(request, cut) ? cut : undefined
}

function overflow({ messages, questionAt, room, info }: CompactRequest, least: number): AgentKitError {
  const question = estimateMessage(messages[questionAt] as Message, info)
  return new AgentKitError(
    'context-overflow',
    `The question, about ${question} tokens, takes about ${least} with what cannot be shortened beside it, and the ` +
      `model has room for ${Math.floor(room)}. Ask with less, or use a model with a larger context window.`,
  )
}
