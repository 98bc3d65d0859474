import { type Chunk, searchedText } from '../data/chunk.ts'
import { chunkId, textHash } from '../data/chunk-id.ts'

/** A passage after the cut, with its position. */
export type Passage = {
  quote: string
  start: number
  end: number
  heading: string | undefined
  page: number | undefined
  pageEnd: number | undefined
  row: number | undefined
  rowEnd: number | undefined
}

/** Assigns numbers and ids to the passages of a file. */
export function createNumbering(file: string): { toChunk(passage: Passage): Chunk } {
  let order = 0
  const repeats = new Map<string, number>()

  return {
    toChunk({ quote, start, end, heading, page, pageEnd, row, rowEnd }) {
      const first = chunkId(file, quote, 0)
      const repeat = repeats.get(first) ?? 0
      repeats.set(first, repeat + 1)
      const id = repeat === 0 ? first : chunkId(file, quote, repeat)
      const chunk: Chunk = { id, file, order: order++, quote, start, end, textHash: '' }
      if (heading !== undefined) chunk.heading = heading
      if (page !== undefined) chunk.page = page
      if (pageEnd !== undefined && pageEnd !== page) chunk.pageEnd = pageEnd
      if (row !== undefined) chunk.row = row
      if (rowEnd !== undefined && rowEnd !== row) chunk.rowEnd = rowEnd
      chunk.textHash = textHash(searchedText(chunk))
      return chunk
    },
  }
}
