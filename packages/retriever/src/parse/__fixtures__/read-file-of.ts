import type { Block, Parsed, Parser, Piece } from '../../data/piece.ts'

const never = new AbortController().signal

/** The complete result of a parser. */
export type Read = {
  pieces: Piece[]
  /** The file's extracted text. */
  text: string
  /** The kind and text of each block: `heading 2: ## Holidays`, `row 3: name: Ann`. */
  said: string[]
  parsed: Parsed
}

export async function readFileOf(parser: Parser, content: string | Uint8Array, signal = never): Promise<Read> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const pieces: Piece[] = []
  const reading = parser(bytes, signal)
  for (;;) {
    const next = await reading.next()
    if (next.done === true) {
      const said = pieces.flatMap(({ text, blocks }) => blocks.map((block) => `${nameOf(block)}: ${text.slice(block.start, block.end)}`))
      return { pieces, text: pieces.map(({ text }) => text).join(''), said, parsed: next.value }
    }
    pieces.push(next.value)
  }
}

function nameOf({ kind, level, row }: Block): string {
  return [kind, level, row].filter((part) => part !== undefined).join(' ')
}
