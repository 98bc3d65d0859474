import { effect, signal } from '@preact/signals'
import { answerOf } from '../run/run-view.ts'
import { t } from '../text/t.ts'
import { isRunning, type ShownTurn } from './turn.ts'

/** The text that a screen reader announces next. */
export const announcement = signal('')

const maxAnnounced = 400

export function announce(text: string): void {
  // The same text twice is announced twice.
  announcement.value = announcement.peek() === text ? `${text}\u00a0` : text
}

/** Announces an answer sentence by sentence, at most one text per second, and how it has ended. */
export function announceTurn(turn: ShownTurn): void {
  if (turn.isSending.value) announce(t('chat.asked'))
  let announced = 0
  let nextAt = 0
  const stop = effect(() => {
    turn.version.value
    const text = answerOf(turn.view)
    const now = performance.now()
    if (isRunning(turn)) {
      const end = now >= nextAt ? lastSentenceEnd(text, announced) : 0
      if (end <= announced) return
      announce(plain(text.slice(announced, end)))
      announced = end
      nextAt = now + 1_000
      return
    }
    const { end } = turn.view
    const rest = plain(text.slice(announced))
    announced = text.length
    const how =
      turn.problem.value || end?.finishReason === 'error'
        ? t('chat.answerFailed', { reason: turn.problem.value?.detail || end?.error?.message || t('fix.unreachable') })
        : !end || end.finishReason === 'aborted'
          ? t('chat.answerStopped')
          : end.finishReason === 'approval'
            ? t('chat.answerWaits')
            : t('chat.answerDone')
    announce(rest === '' ? how : `${rest} ${how}`)
    if (end?.finishReason !== 'approval') queueMicrotask(() => stop())
  })
  turn.controller.signal.addEventListener('abort', stop)
}

/** The offset at which the last whole sentence after `from` ends; `from` if there is none. */
function lastSentenceEnd(text: string, from: number): number {
  const part = text.slice(from, from + 4_000)
  let end = 0
  for (const { index, 0: mark } of part.matchAll(/[.!?…:](?=\s)|\n+/g)) end = index + mark.length
  return from + end
}

function plain(markdown: string): string {
  const text = markdown
    // Up to the next bracket, since each of many would be read to the end of the text.
    .replace(/\]\([^)\]]*\)/g, ']')
    .replace(/^[\s|:-]+$/gm, '')
    .replace(/[`*_#>|[\]]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > maxAnnounced ? `${text.slice(0, maxAnnounced)}…` : text
}
