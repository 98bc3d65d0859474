import type { Citation } from '@agentkit/core'
import type { Chunk } from './chunk.ts'

/** A passage that was found: its position, and the searched text with its headings. */
export type Hit = Citation & { text: string }

/** A passage as a citation of an answer. */
export function toCitation(chunk: Chunk, score: Citation['score'], isStale = false): Citation {
  const { file, page, pageEnd, row, rowEnd, heading, start, end, quote, id: chunkId } = chunk
  return {
    file,
    ...(page !== undefined && { page }),
    ...(pageEnd !== undefined && { pageEnd }),
    ...(row !== undefined && { row }),
    ...(rowEnd !== undefined && { rowEnd }),
    ...(heading !== undefined && { heading }),
    start,
    end,
    quote,
    chunkId,
    ...(isStale && { stale: true as const }),
    score,
  }
}

/** The position of a passage, for users and models: `handbook.pdf, page 3, "Holidays"`. */
export function placeOf(passage: Pick<Citation, 'file' | 'page' | 'pageEnd' | 'row' | 'rowEnd' | 'heading'>): string {
  const { file, page, pageEnd, row, rowEnd, heading } = passage
  const parts = [file]
  if (page !== undefined) parts.push(span('page', page, pageEnd))
  if (row !== undefined) parts.push(span('row', row, rowEnd))
  if (heading !== undefined) parts.push(`"${heading}"`)
  return parts.join(', ')
}

function span(unit: string, from: number, to: number | undefined): string {
  return to === undefined || to === from ? `${unit} ${from}` : `${unit}s ${from}–${to}`
}
