import type { Block, Piece } from '../../data/piece.ts'

/** What a block is, but for its place. */
export type NewBlock = Omit<Block, 'start' | 'end'> & { text: string }

/** Puts the pieces of a file together, block after block. */
export interface PieceWriter {
  /** Of the piece at hand, in characters. */
  readonly length: number
  /** Whether any block was written, in this piece or before. */
  readonly hasText: boolean
  /** @param gap white space between this block and the one before */
  write(block: NewBlock, gap?: string): void
  /** The piece, and begins the next. */
  take(): Piece
}

export function createPieceWriter(): PieceWriter {
  let hasText = false
  let text = ''
  let blocks: Block[] = []

  return {
    get length() {
      return text.length
    },
    get hasText() {
      return hasText
    },
    write({ text: said, ...block }, gap = '\n\n') {
      if (hasText) text += gap
      hasText = true
      blocks.push({ ...block, start: text.length, end: text.length + said.length })
      text += said
    },
    take() {
      const piece = { text, blocks }
      text = ''
      blocks = []
      return piece
    },
  }
}
