import { expect } from 'vitest'
import type { Parsed, Parser, Piece } from '../data/piece.ts'

/** All that a parser gives. Every piece is checked: blocks in order, within the text, and all text within blocks. */
export async function collectPieces(
  parse: Parser,
  bytes: Uint8Array,
  signal: AbortSignal = new AbortController().signal
): Promise<{ pieces: Piece[]; parsed: Parsed }> {
  const pieces: Piece[] = []
  const reading = parse(bytes, signal)
  for (;;) {
    const step = await reading.next()
    if (step.done === true) return { pieces, parsed: step.value }
    expectWellFormed(step.value)
    pieces.push(step.value)
  }
}

/** The blocks of pieces as a person would list them: `heading 1: Introduction`. */
export function listBlocks(pieces: readonly Piece[]): string[] {
  return pieces.flatMap(({ text, blocks }) =>
    blocks.map(({ kind, level, start, end }) => `${kind}${level === undefined ? '' : ` ${level}`}: ${text.slice(start, end)}`)
  )
}

function expectWellFormed({ text, blocks }: Piece): void {
  let at = 0
  for (const { start, end } of blocks) {
    expect(text.slice(at, start).trim()).toBe('')
    expect(start).toBeGreaterThanOrEqual(at)
    expect(end).toBeGreaterThan(start)
    at = end
  }
  expect(text.slice(at).trim()).toBe('')
  expect(at).toBeLessThanOrEqual(text.length)
  expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}]/u)
}
