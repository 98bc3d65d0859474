import type { ModelInfo } from '../contracts/model.ts'
import { AgentKitError } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { estimateMessage, estimateText } from '../tokens/estimate-tokens.ts'
import {
  type Compaction,
  compactedView,
  isKept,
  leastResultTokens,
  startOfGroup,
  visibleResult,
} from './compacted-view.ts'
import { largest, removedResult, resultText, shownResult } from './long-results.ts'
import { beginning, summarizeMessages } from './summarize.ts'
import { cutMiddle, labelledText } from './summary-prompt.ts'

export type CompactRequest = {
  /** The whole conversation without the system message: the history, then this run's messages. */
  messages: readonly Message[]
  compaction: Compaction
  /** The index of the current user message, which is always sent whole. */
  questionAt: number
  /** The most tokens that the sent messages may take. */
  room: number
  /** The most tokens that the text of one tool result may take. */
  resultTokens: number
  info?: ModelInfo | undefined
  /** One model call without tools; rejects when it fails. */
  summarize(messages: Message[], maxOutputTokens: number): Promise<string>
}

/** Shares of the room. */
const shares = {
  /** Old results are removed down to this share at once, so that the beginning then stays the same for many steps. */
  afterClearing: 0.6,
  /** The last messages that stay unchanged beside a summary. */
  kept: 0.4,
  summary: 0.25,
  /** The results that their tools want kept. */
  keptResults: 0.25,
}
/** A shorter summary is useless. */
const leastSummaryTokens = 64
/** The most that a summary contains of the conversation's first message. */
const firstMessageTokens = 150

/**
 * Shortens a conversation that is too long: removes old tool results, then replaces old messages by a summary, then
 * cuts the last results. Calls keep their results, and the question stays whole. Results that their tools want kept stay
 * as they are, the newest first, in a share of the room; only where nothing else helps they are removed too.
 *
 * @throws AgentKitError `context-overflow` when the question and the last step do not fit even so
 * @throws what `summarize` rejects with when that ends the run; other failures become a warning
 */
export async function compact(request: CompactRequest): Promise<Compacted> {
  const compaction = withKept(request)
  const made = await shorten(request, compaction)
  if (!compaction.kept || fits(request, made.compaction)) return made
  return shorten(request, withoutKept(compaction))
}

type Compacted = { compaction: Compaction; warnings: string[] }

async function shorten(request: CompactRequest, compaction: Compaction): Promise<Compacted> {
  const isSummarized = noLongerKept(request, compaction).length === 0
  const cleared = clearOldResults({ ...request, compaction })
  if (isSummarized && fits(request, cleared)) return { compaction: cleared, warnings: [] }
  const covered = startOfKept(request, cleared)
  const cut = isSummarized && isLittle(request, cleared, covered) ? cutResults(request, cleared) : undefined
  if (cut) return { compaction: cut, warnings: [] }
  const made = await summarizeOldMessages(request, cleared, covered)
  if (fits(request, made.compaction)) return made
  // When even the beginnings of the results do not fit, all are removed: the model can read them again one by one.
  const removed: Compaction = { ...made.compaction, cleared: request.messages.length }
  return { compaction: cutResults(request, made.compaction) ?? removed, warnings: made.warnings }
}

/** The compaction with the results that are kept now. Of equal ones, such as a text that was loaded twice, the last is. */
function withKept({ messages, compaction, room, resultTokens }: CompactRequest): Compaction {
  const kept: number[] = []
  const texts = new Set<string>()
  let left = room * shares.keptResults
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]
    if (!isKept(message)) continue
    const text = resultText(shownResult(message, resultTokens))
    const tokens = texts.has(text) ? Number.POSITIVE_INFINITY : estimateText(text)
    if (tokens > left) continue
    texts.add(text)
    kept.unshift(index)
    left -= tokens
  }
  return kept.length === 0 ? withoutKept(compaction) : { ...compaction, kept }
}

function withoutKept(compaction: Compaction): Compaction {
  if (!compaction.kept) return compaction
  const { kept: _, ...rest } = compaction
  return rest
}

/** Results that were listed below the summary, and no longer fit there. */
function noLongerKept({ messages, compaction: before }: CompactRequest, { kept }: Compaction): Message[] {
  const dropped = before.kept?.filter((index) => index < before.covered && !kept?.includes(index)) ?? []
  return dropped.map((index) => messages[index] as Message)
}

function fits(request: CompactRequest, compaction: Compaction): boolean {
  return tokensShown(request, compaction) <= request.room
}

function tokensShown(request: CompactRequest, compaction: Compaction): number {
  const { messages, questionAt, resultTokens, info } = request
  let tokens = 0
  for (const message of compactedView(messages, compaction, questionAt, resultTokens)) {
    tokens += estimateMessage(message, info)
  }
  return tokens
}

/** Removes tool results, the oldest first, except those of the last two steps. */
function clearOldResults(request: CompactRequest): Compaction {
  const { messages, compaction, room, resultTokens, info } = request
  const end = lastStep(messages, lastStep(messages, messages.length) ?? 0) ?? 0
  let tokens = tokensShown(request, compaction)
  let { cleared } = compaction
  for (let index = Math.max(compaction.covered, cleared); index < end; index++) {
    if (tokens <= room * shares.afterClearing) break
    const message = messages[index] as Message
    if (message.role !== 'tool' || compaction.kept?.includes(index)) continue
    tokens -= estimateMessage(visibleResult(message, index, compaction, resultTokens), info)
    tokens += estimateMessage(removedResult(message), info)
    cleared = index + 1
  }
  return cleared === compaction.cleared ? compaction : { ...compaction, cleared }
}

/** The index of the last message with calls before `end`. */
function lastStep(messages: readonly Message[], end: number): number | undefined {
  for (let index = end - 1; index >= 0; index--) {
    const message = messages[index] as Message
    if (message.role === 'assistant' && toolCalls(message).length > 0) return index
  }
  return undefined
}

/** The index of the first message that stays beside the summary and the question; the last step always stays. */
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
  // The question is sent anyway: a summary of it would free nothing.
  return start === questionAt + 1 && start > compaction.covered ? questionAt : start
}

/** Whether the messages that a summary would replace take no more than a summary may. */
function isLittle(request: CompactRequest, compaction: Compaction, covered: number): boolean {
  const without = tokensShown(request, { ...compaction, covered, summary: '' })
  return tokensShown(request, compaction) - without <= request.room * shares.summary
}

async function summarizeOldMessages(
  request: CompactRequest,
  compaction: Compaction,
  covered: number,
): Promise<Compacted> {
  const { messages, room, summarize } = request
  const { kept } = compaction
  const least = tokensShown(request, { covered, cleared: messages.length, ...(kept && { kept }) })
  const summaryTokens = Math.floor(Math.min(room * shares.summary, room - least))
  if (summaryTokens < (covered > 0 ? leastSummaryTokens : 0)) {
    if (kept) return summarizeOldMessages(request, withoutKept(compaction), covered)
    throw overflow(request, least)
  }
  if (covered === 0) return { compaction, warnings: [] }
  const summarized = messages
    .slice(compaction.covered, covered)
    .filter((_, at) => !kept?.includes(compaction.covered + at))
  const { summary, warning } = await summarizeMessages({
    summary: compaction.summary ?? '',
    messages: [...noLongerKept(request, compaction), ...summarized],
    room,
    summaryTokens,
    summarize,
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

/** Adds the beginning of the conversation, which mostly says what it is about, to a model's summary. */
function withBeginning(summary: string, [first]: readonly Message[], summaryTokens: number): string {
  const began = first ? beginning(labelledText(first), Math.min(firstMessageTokens, summaryTokens / 3)) : ''
  if (began === '' || summary.includes(began) || summary.includes(beginningMark)) return summary
  const line = `\n${beginningMark}${began}`
  return cutMiddle(summary, summaryTokens - estimateText(line)) + line
}

/**
 * Cuts the remaining results, so that they leave some room for the next step; `undefined` when too little of them would
 * be left.
 */
function cutResults(request: CompactRequest, compaction: Compaction): Compaction | undefined {
  const { messages, room } = request
  const { cut: _earlier, ...uncut } = compaction
  const start = Math.max(uncut.covered, uncut.cleared)
  const left = messages.slice(start).filter((_, at) => !uncut.kept?.includes(start + at))
  const results = left.filter((message) => message.role === 'tool')
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
