import type { Block, Piece } from '../../data/piece.ts'
import { cleanText } from '../../text/clean-text.ts'

/** Puts the blocks of a piece one below the other and keeps where each stands. */
export class BlockWriter {
  readonly #blocks: Block[] = []
  #text = ''

  /** A block of its own; one that says nothing is left out. `tight`: on the next line, without an empty one between. */
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

  /** Ends in white space, so that the next piece begins a paragraph of its own. */
  piece(page?: number): Piece {
    const text = this.isEmpty ? '' : `${this.#text}\n\n`
    return { text, blocks: this.#blocks, ...(page === undefined ? {} : { page }) }
  }
}

function trimLines(text: string): string {
  return text
    .replace(/[ \t]+(?=\n|$)/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\s+|\s+$/g, '')
}
