import type { FileStatus } from '@agentkit/core'

/**
 * A part of what a file says. The texts of all its pieces in a row are the file's extracted text.
 *
 * A parser yields one piece, or several: one for each page of a PDF, one for some hundred rows of a CSV, so that
 * nobody needs to hold a large file at once.
 */
export type Piece = {
  text: string
  /** What the text is made of, in order and without overlap. What lies between blocks is white space or markup. */
  blocks: readonly Block[]
  /** Of a PDF, from 1 on: the piece is that page. */
  page?: number
}

/** A unit of meaning within a piece. Offsets count from the piece's start. */
export type Block = {
  /** A `heading` opens a section; a `row` is a record of a CSV; the others are what is said. */
  kind: 'heading' | 'text' | 'code' | 'table' | 'row'
  start: number
  end: number
  /** Of a heading, from 1 on. */
  level?: number
  /** Of a row, as a spreadsheet numbers it. */
  row?: number
}

/** What a parser knows at its end. */
export type Parsed = {
  status: Extract<FileStatus, 'ok' | 'low-quality'>
  /** Why it is not `ok`. */
  reason?: string
  title?: string
  pages?: number
}

/**
 * Reads one kind of file.
 *
 * @throws UnreadableFile for what has no text to be had, with the reason
 */
export type Parser = (bytes: Uint8Array, signal: AbortSignal) => AsyncGenerator<Piece, Parsed>
