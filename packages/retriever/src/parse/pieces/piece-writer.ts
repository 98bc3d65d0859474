import type { Block, Piece } from '../../data/piece.ts'

/** A block without its offsets. */
export type NewBlock = Omit<Block, 'start' | 'end'> & { text: string }

/** Builds the pieces of a file, block by block. */
export interface PieceWriter {
  /** The length of the current piece, in characters. */
  readonly length: number
  /** Whether any block was written, in this piece or before. */
  readonly hasText: boolean
  /** @param gap white space between this block and the previous one */
  write(block: NewBlock, gap?: string): void
  /** Returns the piece, and starts the next. */
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
