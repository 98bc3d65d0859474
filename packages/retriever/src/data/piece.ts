import type { FileStatus } from '@agentkit/core'

/**
 * A part of a file's extracted text, which is the concatenation of the texts of all pieces.
 *
 * A parser yields one piece or several: one for each page of a PDF, one for some hundred rows of a CSV, so that a large
 * file is never in memory as a whole.
 */
export type Piece = {
  text: string
  /** The blocks of the text, in order and without overlap. Between blocks there is white space or markup. */
  blocks: readonly Block[]
  /** The page of a PDF that the piece contains, from 1 on. */
  page?: number
}

/** A unit of text within a piece. Offsets count from the start of the piece. */
export type Block = {
  /** A `heading` opens a section; a `row` is a record of a CSV; the other kinds are body text. */
  kind: 'heading' | 'text' | 'code' | 'table' | 'row'
  start: number
  end: number
  /** The level of a heading, from 1 on. */
  level?: number
  /** The number of a row, as in a spreadsheet. */
  row?: number
}

/** The result that a parser returns after the last piece. */
export type Parsed = {
  status: Extract<FileStatus, 'ok' | 'low-quality'>
  /** Why the status is not `ok`. */
  reason?: string
  title?: string
  pages?: number
}

/**
 * Reads one type of file.
 *
 * @throws UnreadableFile with the reason when no text can be extracted
 */
export type Parser = (bytes: Uint8Array, signal: AbortSignal) => AsyncGenerator<Piece, Parsed>
