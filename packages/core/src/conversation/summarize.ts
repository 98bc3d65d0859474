import { isAgentKitError, messageOf } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import { Blocked } from '../policies/hooks.ts'
import { estimateMessage, estimateText } from '../tokens/estimate-tokens.ts'
import { redactSecrets } from '../util/text/redact.ts'
import { stretchEnd } from './long-results.ts'
import { cutMiddle, labelledText, messageAsText, summaryPrompt } from './summary-prompt.ts'

export type SummaryRequest = {
  /** The summary of the messages before these. */
  summary: string
  messages: readonly Message[]
  /** The most tokens that one request for a summary and its answer may take. */
  room: number
  /** The longest summary, in tokens. */
  summaryTokens: number
  /** One model call; rejects when it fails. */
  summarize(messages: Message[], maxOutputTokens: number): Promise<string>
}

/**
 * Replaces messages by a summary that a model writes, in as many requests as are needed to send it all of them.
 *
 * When the model fails, an extract replaces its summary, with a warning.
 * @throws what `summarize` rejects with when that ends the whole run
 */
export async function summarizeMessages(request: SummaryRequest): Promise<{ summary: string; warning?: string }> {
  const { room, summaryTokens, summarize } = request
  const words = Math.max(10, Math.floor(summaryTokens / 3))
  const free = room - summaryTokens - estimateAll(summaryPrompt('-', '-', words))
  const passTokens = free - summaryTokens
  const pieces = toPieces(request, Math.max(leastPassTokens, passTokens))
  let summary = estimateText(request.summary) <= summaryTokens ? request.summary : ''
  let done = 0
  try {
    while (done < pieces.length) {
      if (passTokens < leastPassTokens) throw new Error('there is no room for the request')
      const end = endOfPass(pieces, done, free - estimateText(summary))
      const transcript = pieces.slice(done, end).map(({ text }) => text)
      const answer = await summarize(summaryPrompt(summary, transcript.join('\n\n'), words), summaryTokens)
      if (answer.trim() === '') throw new Error('the model gave nothing')
      summary = cutMiddle(answer.trim(), summaryTokens)
      done = end
    }
    if (!isUninformative(summary, pieces)) return { summary }
    return {
      summary: completed(request, summary, pieces),
      warning: 'A summary of earlier messages says next to nothing.',
    }
  } catch (error) {
    if (endsRun(error)) throw error
    const reason = isAgentKitError(error) ? error.code : redactSecrets(messageOf(error))
    return {
      summary: extract(request, summary, pieces.slice(done)),
      warning: `Earlier messages were shortened, as no summary of them could be made: ${reason}.`,
    }
  }
}

/** A request with less of the conversation is not worth a model call. */
const leastPassTokens = 64

/** A shorter summary of many messages omits too much. */
const leastSummaryTokens = 40

/** A message, or a part of one that is too long for a request. */
type Piece = { text: string; messageIndex: number }
/** The index of a piece of the earlier summary, which is not a message. */
const ofSummary = -1

function toPieces({ summary, messages, room, summaryTokens }: SummaryRequest, passTokens: number): Piece[] {
  const partTokens = Math.floor(passTokens / 2)
  const texts = messages.map((message, messageIndex) => ({ text: messageAsText(message, partTokens), messageIndex }))
  // A summary that was made for a model with more room is summarized too.
  if (estimateText(summary) > summaryTokens) texts.unshift({ text: summary, messageIndex: ofSummary })
  return texts.flatMap(({ text, messageIndex }) => {
    // A longer text than any request is cut, so that one message does not take many calls.
    return stretches(cutMiddle(text, room), passTokens).map((stretch) => ({ text: stretch, messageIndex }))
  })
}

function stretches(text: string, passTokens: number): string[] {
  const found: string[] = []
  for (let start = 0; start < text.length; ) {
    const begin = start
    const label = begin === 0 ? '' : '[continued] '
    start = stretchEnd(text, begin, (end) => estimateText(label + text.slice(begin, end)) <= passTokens)
    found.push(label + text.slice(begin, start))
  }
  return found
}

/** The end of the pieces that fit into one request: at least one. */
function endOfPass(pieces: readonly Piece[], start: number, tokens: number): number {
  let left = tokens
  for (let index = start; index < pieces.length; index++) {
    left -= estimateText(`${pieces[index]?.text}\n\n`)
    if (left < 0 && index > start) return index
  }
  return pieces.length
}

function endsRun(error: unknown): boolean {
  if (!isAgentKitError(error)) return error instanceof Blocked
  return endCodes.includes(error.code) || (error.code === 'timeout' && error.phase === 'run')
}

/** `invalid-config` is the code of a hook that fails: a broken guardrail ends the run. */
const endCodes: readonly string[] = ['aborted', 'budget', 'invalid-config']

/** Whether the summary is too short: some models only acknowledge the request. */
function isUninformative(summary: string, pieces: readonly Piece[]): boolean {
  const tokens = pieces.reduce((sum, { text }) => sum + estimateText(text), 0)
  return estimateText(summary) < Math.min(leastSummaryTokens, tokens / 10)
}

/** Completes a summary that says too little by the earlier one and by the beginnings of the messages. */
function completed(request: SummaryRequest, summary: string, pieces: readonly Piece[]): string {
  const before = request.summary.includes(summary) ? request.summary : `${summary}\n${request.summary}`.trim()
  return extract(request, before, pieces)
}

/** Replaces a summary: the one so far, and the beginnings of the first and last messages that it does not cover. */
function extract({ messages, summaryTokens }: SummaryRequest, summary: string, unread: readonly Piece[]): string {
  const ofBefore = unread.filter(({ messageIndex }) => messageIndex === ofSummary).map(({ text }) => text)
  const before = [summary, ...ofBefore].filter(Boolean).join('\n')
  const rest = messages.slice(Math.max(0, unread[0]?.messageIndex ?? messages.length))
  const texts = rest.map(labelledText).filter(Boolean)
  const lines = texts.map((line) => beginning(line, summaryTokens / 4))
  const shown = lines.length > 0 ? cutMiddle(before, Math.floor(summaryTokens * 0.6)) : before
  const all = [shown, ...firstAndLast(lines, summaryTokens - estimateText(`${shown}\n`))]
  return cutMiddle(all.filter(Boolean).join('\n'), summaryTokens)
}

/** The first line, then as many of the last ones as fit. */
function firstAndLast(lines: readonly string[], tokens: number): string[] {
  let left = tokens - estimateText(leftOut(lines.length))
  const takes = (line = ''): boolean => {
    left -= estimateText(`${line}\n`)
    return left >= 0
  }
  const first = lines.slice(0, takes(lines[0]) ? 1 : 0)
  let last = lines.length
  while (last > first.length && takes(lines[last - 1])) last--
  const gap = last > first.length ? [leftOut(last - first.length)] : []
  return [...first, ...gap, ...lines.slice(last)]
}

function leftOut(messages: number): string {
  return `[… ${messages} messages left out …]\n`
}

/** The beginning of a line, enough to recognize its subject. */
export function beginning(line: string, tokens: number): string {
  const isShort = (text: string): boolean => text.length <= 200 && estimateText(text) <= tokens
  if (isShort(line)) return line
  const end = stretchEnd(line, 0, (end) => isShort(line.slice(0, end)))
  return `${line.slice(0, end)}…`
}

function estimateAll(messages: readonly Message[]): number {
  return messages.reduce((tokens, message) => tokens + estimateMessage(message), 0)
}
