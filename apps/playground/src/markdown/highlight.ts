import { idle } from './idle.ts'
import { spansOf } from './spans-of.ts'

/** Longer code stays as it is. */
const maxCode = 100_000
/** Code is highlighted in pieces of this length, since the whole would block the page. */
const maxPiece = 4_000

/** Colours finished code of a known language, by a script that is loaded with the first of it. */
export async function highlight(code: HTMLElement, language: string): Promise<void> {
  const text = code.textContent ?? ''
  if (language === '' || text.length > maxCode) return
  // Without a connection it stays as it is.
  const { highlighted } = (await import('./languages.ts').catch(() => undefined)) ?? {}
  if (!highlighted) return
  let rest = code.firstChild
  for (const piece of piecesOf(text)) {
    // Waits while an answer is drawn.
    await idle()
    const html = highlighted(piece, language.toLowerCase())
    if (html === undefined || !(rest instanceof Text) || rest.data.length < piece.length) return
    const shown = rest
    rest = rest.splitText(piece.length)
    shown.replaceWith(spansOf(html))
  }
}

/** Cuts code before lines at which something new usually begins: those that follow a blank line and are not indented. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = text.length - from > maxPiece ? cutBefore(text.slice(from, from + maxPiece)) : text.length - from
    pieces.push(text.slice(from, from + end))
    from += end
  }
  return pieces
}

function cutBefore(text: string): number {
  const starts = [...text.matchAll(/\n[^\S\n]*\n(?=\S)/g)].map(({ index, 0: { length } }) => index + length)
  return starts.at(-1) ?? (text.lastIndexOf('\n') + 1 || text.length)
}
