import type { Chunk } from '../data/chunk.ts'
import type { Block, Piece } from '../data/piece.ts'
import { findCut, type Span } from './find-cut.ts'
import { createHeadingPath } from './heading-path.ts'
import { isEnoughRows } from './is-enough-rows.ts'
import { createNumbering } from './numbering.ts'
import { skipWhiteSpace, trimEnd } from './white-space.ts'

/** Cuts a file into passages. Fed with its pieces in order; each call returns the passages that are finished. */
export interface Chunker {
  add(piece: Piece): Chunk[]
  end(): Chunk[]
}

/**
 * Where a passage is cut, in characters. Tried from 600 to 2,000: shorter ones rank whole files worse, longer ones leave
 * less room for others in what a model reads.
 */
const usualLength = 1_200
/** A section that is no longer than this many times of it stays whole: a short rest alone would say little. */
const tolerance = 1.15

/**
 * Makes passages of a file's blocks: never across a heading, about `longest` characters at most, cut where it hurts least.
 *
 * They are in order, do not overlap, are trimmed, and together hold all of the blocks that is not white space. They
 * depend on nothing but the pieces, and the time for them grows as the file does.
 */
export function createChunker(file: string, longest: number = usualLength): Chunker {
  const path = createHeadingPath()
  const numbering = createNumbering(file)
  /** What is not yet cut, and the text that it stands in, from `textStart` of the file's text on. */
  let spans: Span[] = []
  let text = ''
  let textStart = 0
  let made: Chunk[] = []

  return {
    add(piece) {
      const offset = keepOnly(spans[0]?.start ?? text.length, piece.text)
      for (const block of piece.blocks) {
        const start = skipWhiteSpace(text, offset + block.start, offset + block.end)
        const end = trimEnd(text, start, offset + block.end)
        if (start < end) take(block, { kind: block.kind, start, end, page: piece.page, row: block.row })
      }
      return handOver()
    },
    end() {
      flush()
      return handOver()
    },
  }

  /** Forgets the text before, and appends. Returns where the new text begins. */
  function keepOnly(from: number, more: string): number {
    textStart += from
    const kept = text.slice(from)
    for (const span of spans) {
      span.start -= from
      span.end -= from
    }
    text = kept + more
    return kept.length
  }

  function take(block: Block, span: Span): void {
    const before = spans.at(-1)
    if (before !== undefined && !belongsTo(before, block, span)) flush()
    if (block.kind === 'heading') path.open(text.slice(span.start, span.end), block.level ?? 1)
    const { start } = span
    spans.push(span)
    cutLong()
    // The rest of a record that was cut is not the beginning of others.
    if (span.kind === 'row' && span.start > start) flush()
  }

  /** Whether it may share a passage with what is waiting. */
  function belongsTo(before: Span, block: Block, span: Span): boolean {
    if (block.kind === 'heading') {
      // Headings with nothing between them open one section, unless the second is no part of the first's.
      return before.kind === 'heading' && path.isBelow(block.level ?? 1) && span.page === before.page
    }
    if (block.kind === 'row' || before.kind === 'row') {
      const size = span.end - (spans[0]?.start ?? 0)
      return block.kind === before.kind && !isEnoughRows(text, spans) && size <= longest
    }
    return span.page === before.page || goesOn(before, span)
  }

  /** Whether a sentence runs over the end of a page, with too little before it for a passage of its own. */
  function goesOn(before: Span, span: Span): boolean {
    if (before.kind === 'heading') return true
    const isPlain = before.kind === 'text' && span.kind === 'text'
    return isPlain && lengthOf(spans) < longest / 2 && /\p{Ll}/u.test(text.charAt(span.start))
  }

  function cutLong(): void {
    while (lengthOf(spans) > longest * tolerance) cutAt(findCut(text, spans, Math.ceil(longest / 2), longest))
  }

  function flush(): void {
    const last = spans.at(-1)
    if (last !== undefined) cutAt(last.end)
  }

  function cutAt(position: number): void {
    const [first] = spans
    if (first === undefined) return
    const rest = spans.filter((span) => span.end > position)
    const last = spans.findLast((span) => span.start < position) ?? first
    const end = trimEnd(text, first.start, position)
    made.push(
      numbering.toChunk({
        quote: text.slice(first.start, end),
        start: textStart + first.start,
        end: textStart + end,
        heading: path.current,
        page: first.page,
        pageEnd: last.page,
        row: first.row,
        rowEnd: last.row,
      }),
    )
    const [cutThrough] = rest
    if (cutThrough !== undefined && cutThrough.start < position) {
      cutThrough.start = skipWhiteSpace(text, position, cutThrough.end)
    }
    spans = rest
  }

  function handOver(): Chunk[] {
    const chunks = made
    made = []
    return chunks
  }
}

function lengthOf(spans: readonly Span[]): number {
  const last = spans.at(-1)
  return last === undefined ? 0 : last.end - (spans[0]?.start ?? 0)
}
