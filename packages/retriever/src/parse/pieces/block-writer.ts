import type { Block, Piece } from '../../data/piece.ts'
import { cleanText } from '../../text/clean-text.ts'

/** Joins the blocks of a piece with line breaks, and records their offsets. */
export class BlockWriter {
  readonly #blocks: Block[] = []
  #text = ''

  /** Adds a block; an empty one is dropped. `tight`: on the next line, without an empty line between. */
  add(kind: Block['kind'], text: string, { level, tight = false }: { level?: number; tight?: boolean } = {}): void {
    const clean = trimLines(cleanText(text))
    if (clean === '') return
    if (this.#text !== '') this.#text += tight ? '\n' : '\n\n'
    const start = this.#text.length
    this.#text += clean
    this.#blocks.push({ kind, start, end: this.#text.length, ...(level === undefined ? {} : { level }) })
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0
  }

  /** Ends with white space, so the next piece starts a new paragraph. */
  piece(page?: number): Piece {
    const text = this.isEmpty ? '' : `${this.#text}\n\n`
    return { text, blocks: this.#blocks, ...(page === undefined ? {} : { page }) }
  }
}

/** Without regular expressions for the ends, which would take quadratic time for long runs of spaces. */
function trimLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
