import type { Parsed } from '../../data/piece.ts'
import { unreadableFile } from '../../data/unreadable-file.ts'

/** Problems of a file's pages, and the status of the file that follows from them. */
export class PageNotes {
  /** The number of pages with text. */
  read = 0
  /** Pages that show something, and have no text. */
  readonly pictures: number[] = []
  readonly garbled: number[] = []
  /** Pages whose words are spaced: "l e t t e r". */
  readonly apart: number[] = []
  /** Pages where Arabic or Hebrew letters may be in visual order, from the left. */
  readonly unordered: number[] = []
  readonly damaged: number[] = []
  /** Pages whose only text asks for another program. */
  readonly placeholders: number[] = []

  /** @throws UnreadableFile when no page has text */
  judge(pages: number, missingCMaps: ReadonlySet<string>): Pick<Parsed, 'status' | 'reason'> {
    if (this.read === 0) throw this.#unreadable(pages, missingCMaps)
    const reasons = [
      about(this.pictures, 'has no text, only a picture: it needs OCR', 'have no text, only pictures: they need OCR'),
      about(this.garbled, 'has a garbled text layer', 'have a garbled text layer'),
      about(
        this.apart,
        'has words whose letters stand apart ("l e t t e r"): run OCR over it again',
        'have words whose letters stand apart ("l e t t e r"): run OCR over them again',
      ),
      about(
        this.unordered,
        'may have words from right to left in the wrong order, and they may not be found',
        'may have words from right to left in the wrong order, and they may not be found',
      ),
      about(this.damaged, 'is damaged', 'are damaged'),
      about(
        this.placeholders,
        'stands for an XFA form that only Adobe Reader shows: print it as a PDF',
        'stand for an XFA form that only Adobe Reader shows: print it as a PDF',
      ),
      missingCMaps.size > 0 ? `text may be missing: ${needsCMaps(missingCMaps)}` : '',
    ].filter((reason) => reason !== '')
    return reasons.length === 0
      ? { status: 'ok' }
      : { status: 'low-quality', reason: `${capital(reasons.join('; '))}.` }
  }

  #unreadable(pages: number, missingCMaps: ReadonlySet<string>): Error {
    const all = pages === 1 ? 'Its only page' : `None of its ${pages} pages`
    const has = pages === 1 ? 'has no text' : 'has text'
    if (this.garbled.length > 0)
      return unreadableFile('no-text', `${all} ${has} that makes sense: its text layer is garbled. Run OCR over it.`)
    if (missingCMaps.size > 0) return unreadableFile('no-text', `${all} ${has} to be had: ${needsCMaps(missingCMaps)}.`)
    if (this.pictures.length > 0)
      return unreadableFile('no-text', `${all} ${has}, only pictures: it may be scanned. Run OCR over it.`)
    if (this.damaged.length > 0 || pages === 0)
      return unreadableFile('corrupt', 'It is damaged: none of its pages could be read.')
    return unreadableFile('no-text', `${all} ${has}.`)
  }
}

function needsCMaps(missing: ReadonlySet<string>): string {
  return `its fonts need the character tables of pdfjs-dist (${[...missing].slice(0, 3).join(', ')}): npm i pdfjs-dist`
}

function about(pages: readonly number[], one: string, several: string): string {
  return pages.length === 0 ? '' : pages.length === 1 ? `page ${pages[0]} ${one}` : `pages ${ranges(pages)} ${several}`
}

/** `3–7, 9 and 214 more` */
function ranges(pages: readonly number[]): string {
  const found: { from: number; to: number }[] = []
  for (const page of pages) {
    const last = found.at(-1)
    if (last?.to === page - 1) last.to = page
    else found.push({ from: page, to: page })
  }
  const named = found.slice(0, 10).map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`))
  const more = found.slice(10).reduce((sum, { from, to }) => sum + to - from + 1, 0)
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
