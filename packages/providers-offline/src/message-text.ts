import { cutMark } from './bound-request.ts'
import { findSpans, type Span } from './find-spans.ts'
import { type Word, wordsOf } from './tokens.ts'

/** A piece of a message, read once. */
export type MessageText = { text: string; words: Word[]; spans: Span[]; today: Date; isCut: boolean }

/** More than this is not searched for arguments; a message may have become longer by the one before. */
const longestText = 4_000

export function readText(text: string, today: Date): MessageText {
  const read = (text.endsWith(cutMark) ? text.slice(0, -cutMark.length) : text).slice(0, longestText)
  return { text: read, words: wordsOf(read), spans: findSpans(read, today), today, isCut: read.length < text.length }
}

/** Up to `count` words before a place, the nearest first, not past the end of a sentence. */
export function wordsBefore({ text, words }: MessageText, place: number, count: number): Word[] {
  const found: Word[] = []
  let edge = place
  for (let index = firstFrom(words, place) - 1; index >= 0 && found.length < count; index--) {
    const word = words[index] as Word
    if (word.end > place) continue
    if (/[.!?;\n](?=\s|$)/.test(text.slice(word.end, edge))) break
    found.push(word)
    edge = word.start
  }
  return found
}

/** Up to `count` words after a place, not past punctuation. */
export function wordsAfter({ text, words }: MessageText, place: number, count: number): Word[] {
  const found: Word[] = []
  let edge = place
  for (let index = firstFrom(words, place); index < words.length; index++) {
    const word = words[index] as Word
    if (found.length === count || /[^\s'’°%-]/.test(text.slice(edge, word.start))) break
    found.push(word)
    edge = word.end
  }
  return found
}

/** The index of the first word that starts at a place or after it. */
function firstFrom(words: readonly Word[], place: number): number {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle] as Word).start < place) low = middle + 1
    else high = middle
  }
  return low
}
