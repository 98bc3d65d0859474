import type { Block, Parsed, Piece } from '../../data/piece.ts'
import { unreadableFile } from '../../data/unreadable-file.ts'
import { decodeText } from '../../text/decode-text.ts'

/** The longest piece, in characters. */
const pieceSize = 1_000_000

/** Plain text: each paragraph is a block, and the extracted text equals the file's. */
export async function* parseText(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Piece, Parsed> {
  let rest = ''
  let hasText = false
  for await (const part of decodeText(bytes, signal)) {
    rest += part
    while (rest.length > pieceSize) {
      const cut = findCut(rest)
      const piece = toPiece(rest.slice(0, cut))
      rest = rest.slice(cut)
      hasText ||= piece.blocks.length > 0
      yield piece
    }
  }
  const piece = toPiece(rest)
  if (piece.blocks.length > 0) yield piece
  else if (!hasText) throw noText(bytes)
  return { status: 'ok' }
}

/** The error for a file without text. */
export function noText(bytes: Uint8Array): Error {
  return unreadableFile('no-text', bytes.length === 0 ? 'It is empty.' : 'It holds no text.')
}

/** The best cut: after a paragraph, else a line, else a word, and never within a character. */
function findCut(text: string): number {
  for (const end of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(end, pieceSize - end.length)
    if (at > pieceSize / 2) return at + end.length
  }
  return /[\uD800-\uDBFF]/.test(text.charAt(pieceSize - 1)) ? pieceSize - 1 : pieceSize
}

function toPiece(text: string): Piece {
  const blocks: Block[] = []
  let start = -1
  let end = 0
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.indexOf('\n', at)
    const next = lineEnd < 0 ? text.length : lineEnd + 1
    const line = text.slice(at, next)
    const said = line.trim()
    if (said === '') {
      if (start >= 0) blocks.push({ kind: 'text', start, end })
      start = -1
    } else {
      if (start < 0) start = at + line.indexOf(said)
      end = at + line.indexOf(said) + said.length
    }
    at = next
  }
  if (start >= 0) blocks.push({ kind: 'text', start, end })
  return { text, blocks }
}
