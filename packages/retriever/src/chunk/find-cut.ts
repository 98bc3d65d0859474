import type { Block } from '../data/piece.ts'
import { endsSentence } from './ends-sentence.ts'
import { clusterEndBefore, isClusterEnd, wordEndBefore } from './grapheme.ts'
import { isWhiteSpace } from './white-space.ts'

/** A block, or the rest of one, in the current text. */
export type Span = {
  kind: Block['kind']
  start: number
  end: number
  page: number | undefined
  row: number | undefined
}

/**
 * The best end of a passage that starts with the first span, from `shortest` to `longest` characters after its start:
 * between two blocks, else within one after a paragraph, a sentence, a line, a word, a character.
 *
 * @param spans with a total length above `longest`
 */
export function findCut(text: string, spans: readonly Span[], shortest: number, longest: number): number {
  const start = spans[0]?.start ?? 0
  const from = start + shortest
  const to = start + longest
  let whole: Span | undefined
  for (const span of spans) {
    if (span.end > to) {
      const isEnough = whole !== undefined && whole.kind !== 'heading' && whole.end >= start + longest / 3
      if (whole !== undefined && (isEnough || span.start >= from)) return whole.end
      return cutWithin(text, start, span.kind, Math.max(from, span.start + 1), to)
    }
    whole = span
  }
  return whole?.end ?? to
}

type Boundary = 'paragraph' | 'sentence' | 'line' | 'cell' | 'word'

/** The quality of a cut at a position: higher is better. Each cell of a record has a line of its own. */
const worth: Record<Block['kind'], Record<Boundary, number>> = {
  heading: { paragraph: 4, sentence: 3, line: 2, cell: 1, word: 1 },
  text: { paragraph: 4, sentence: 3, line: 2, cell: 1, word: 1 },
  code: { paragraph: 4, line: 3, sentence: 1, cell: 1, word: 1 },
  table: { paragraph: 4, line: 4, cell: 3, sentence: 2, word: 1 },
  row: { line: 4, paragraph: 3, sentence: 2, cell: 1, word: 1 },
}
const most = 4

function cutWithin(text: string, start: number, kind: Block['kind'], from: number, to: number): number {
  let best: number | undefined
  let bestWorth = 0
  for (let position = to; position >= from && bestWorth < most; position--) {
    const boundary = boundaryAt(text, position)
    if (boundary === undefined || worth[kind][boundary] <= bestWorth || !isClusterEnd(text, start, position)) continue
    best = position
    bestWorth = worth[kind][boundary]
  }
  return best ?? wordEndBefore(text, start, from, to) ?? clusterEndBefore(text, start, to)
}

function boundaryAt(text: string, position: number): Boundary | undefined {
  const before = text.charCodeAt(position - 1)
  if (!isWhiteSpace(text.charCodeAt(position))) {
    // Only characters of these ranges end a sentence without a space.
    return before > 0x2000 && endsSentence(text, position) ? 'sentence' : undefined
  }
  if (isWhiteSpace(before)) return 'word'
  let lines = 0
  let hasTab = false
  for (let at = position; at < position + gapSize && isWhiteSpace(text.charCodeAt(at)); at++) {
    const code = text.charCodeAt(at)
    if (code === 10) lines++
    else if (code === 9) hasTab = true
  }
  if (lines > 1) return 'paragraph'
  if (endsSentence(text, position)) return 'sentence'
  if (lines === 1) return 'line'
  return hasTab || before === 124 ? 'cell' : 'word'
}

/** The amount of white space that is examined. */
const gapSize = 40
