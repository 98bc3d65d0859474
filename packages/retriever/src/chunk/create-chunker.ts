import type { Chunk } from '../data/chunk.ts'
import type { Block, Piece } from '../data/piece.ts'
import { findCut, type Span } from './find-cut.ts'
import { createHeadingPath } from './heading-path.ts'
import { isEnoughRows } from './is-enough-rows.ts'
import { createNumbering } from './numbering.ts'
import { skipWhiteSpace, trimEnd } from './white-space.ts'

/** Cuts a file into passages. Its pieces are added in order; each call returns the passages that are complete. */
export interface Chunker {
  add(piece: Piece): Chunk[]
  end(): Chunk[]
}

/**
 * The range of a passage's length, in characters. Values from 600 to 2,000 were measured: shorter passages rank whole
 * files worse, longer ones leave less room for other passages in what a model reads.
 */
const usualLength = 1_200
/** A section of up to this multiple of the length stays whole: a short remainder would be of little use. */
const tolerance = 1.15
/**
 * After this many passages whose average is shorter than this, sections share passages: a file that has headings and nearly
 * nothing else would have millions.
 */
const crowded = { passages: 100_000, averageLength: 100 }

/**
 * Cuts a file's blocks into passages of about `longest` characters at most, never across a heading unless it has very
 * many short sections, and at the best place: see `findCut`.
 *
 * Passages are in order, do not overlap, are trimmed, and together contain all text of the blocks except white space. They
 * depend on the pieces only, and the time is linear in the length of the file.
 */
export function createChunker(file: string, longest: number = usualLength): Chunker {
  const path = createHeadingPath()
  const numbering = createNumbering(file)
  /** The text that is not cut yet, and its offset in the file's text. */
  let spans: Span[] = []
  let text = ''
  let textStart = 0
  let made: Chunk[] = []
  let cuts = 0

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

  /** Drops the text before, and appends. Returns the offset of the new text. */
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
    // The remainder of a record that was cut does not start a passage with other records.
    if (span.kind === 'row' && span.start > start) flush()
  }

  /** Whether a block may share a passage with the pending blocks. */
  function belongsTo(before: Span, block: Block, span: Span): boolean {
    if (block.kind === 'heading') {
      if (isCrowded()) return before.kind !== 'row' && span.page === before.page
      // Consecutive headings open one section, unless the second is not below the first.
      return before.kind === 'heading' && path.isBelow(block.level ?? 1) && span.page === before.page
    }
    if (block.kind === 'row' || before.kind === 'row') {
      const size = span.end - (spans[0]?.start ?? 0)
      return block.kind === before.kind && !isEnoughRows(text, spans) && size <= longest
    }
    return span.page === before.page || crossesPages(before, span)
  }

  function isCrowded(): boolean {
    return cuts >= crowded.passages && textStart + (spans[0]?.start ?? 0) < cuts * crowded.averageLength
  }

  /** Whether a sentence crosses a page break, with too little text before the break for a passage. */
  function crossesPages(before: Span, span: Span): boolean {
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
    cuts++
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
