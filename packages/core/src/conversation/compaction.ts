import type { ModelInfo } from '../contracts/model.ts'
import { AgentKitError } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { estimateMessage, estimateText } from '../tokens/estimate-tokens.ts'
import { type Compaction, compactedView, leastResultTokens, startOfGroup, visibleResult } from './compacted-view.ts'
import { largest, removedResult, resultText, shownResult } from './long-results.ts'
import { beginning, summarizeMessages } from './summarize.ts'
import { cutMiddle, spokenText } from './summary-prompt.ts'

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
  summarise(messages: Message[], maxOutputTokens: number): Promise<string>
}

/** Shares of the room. */
const shares = {
  /** Old results are removed down to this share at once, so that the beginning then stays the same for many steps. */
  afterClearing: 0.6,
  /** The last messages that stay unchanged beside a summary. */
  kept: 0.4,
  summary: 0.25,
}
/** A shorter summary is useless. */
const leastSummaryTokens = 64
/** The most that a summary contains of the conversation's first message. */
const firstMessageTokens = 150

/**
 * Shortens a conversation that is too long: removes old tool results, then replaces old messages by a summary, then
 * cuts the last results. Calls keep their results, and the question stays whole.
 *
 * @throws AgentKitError `context-overflow` when the question and the last step do not fit even so
 * @throws what `summarise` rejects with when that ends the run; other failures become a warning
 */
export async function compact(request: CompactRequest): Promise<{ compaction: Compaction; warnings: string[] }> {
  const cleared = clearOldResults(request)
  if (fits(request, cleared)) return { compaction: cleared, warnings: [] }
  const covered = startOfKept(request, cleared)
  const cut = isLittle(request, cleared, covered) ? cutResults(request, cleared) : undefined
  if (cut) return { compaction: cut, warnings: [] }
  const { compaction, warnings } = await summarizeOldMessages(request, cleared, covered)
  if (fits(request, compaction)) return { compaction, warnings }
  // When even the beginnings of the results do not fit, all are removed: the model can read them again one by one.
  const removed: Compaction = { ...compaction, cleared: request.messages.length }
  return { compaction: cutResults(request, compaction) ?? removed, warnings }
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
    if (message.role !== 'tool') continue
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
): Promise<{ compaction: Compaction; warnings: string[] }> {
  const { messages, room, summarise } = request
  const least = tokensShown(request, { covered, cleared: messages.length })
  const summaryTokens = Math.floor(Math.min(room * shares.summary, room - least))
  if (summaryTokens < (covered > 0 ? leastSummaryTokens : 0)) throw overflow(request, least)
  if (covered === 0) return { compaction, warnings: [] }
  const { summary, warning } = await summarizeMessages({
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

/** Adds the beginning of the conversation, which mostly says what it is about, to a model's summary. */
function withBeginning(summary: string, [first]: readonly Message[], summaryTokens: number): string {
  const began = first ? beginning(spokenText(first), Math.min(firstMessageTokens, summaryTokens / 3)) : ''
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
