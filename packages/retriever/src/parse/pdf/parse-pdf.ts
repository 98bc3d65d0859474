import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Parsed, Piece } from '../../data/piece.ts'
import { isApart, lettersApart } from '../../text/garbled-text.ts'
import { BlockWriter } from '../pieces/block-writer.ts'
import { aboutPdf } from './about-pdf.ts'
import { BodySize, headingsByOutline, headingsBySize } from './find-headings.ts'
import { formValues } from './form-values.ts'
import { hasPicture } from './has-picture.ts'
import { isGarbled } from './is-garbled.ts'
import { type OpenPdf, openPdf, type PdfDocument, type PdfPage } from './open-pdf.ts'
import { type Line, pageLines } from './page-lines.ts'
import { PageNotes } from './page-notes.ts'
import { joinLines, pageParagraphs } from './page-paragraphs.ts'
import { type OutlineEntry, readOutline } from './read-outline.ts'
import { orderOf } from './right-to-left.ts'

/**
 * Parses a PDF, one piece per page. It transfers the bytes, which are empty afterwards.
 *
 * A page without text that shows something, and a page whose text is garbage, make the file `low-quality`. Garbage stays
 * in the text, cleaned; a file without any text is `no-text`.
 */
export async function* parsePdf(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Piece, Parsed> {
  signal.throwIfAborted()
  const pdf = await openPdf(bytes)
  try {
    return yield* readPages(pdf, signal)
  } finally {
    await pdf.close()
  }
}

async function* readPages(pdf: OpenPdf, signal: AbortSignal): AsyncGenerator<Piece, Parsed> {
  const { document, missingCMaps } = pdf
  const pages = document.numPages
  const { isXfa, ...title } = await aboutPdf(document)
  const outline = await readOutline(document, signal)
  const values = await formValues(document)
  const bodySize = new BodySize()
  const notes = new PageNotes()
  for (let number = 1; number <= pages; number++) {
    // PDF.js uses only promises: without this, timers and I/O would wait for the last page.
    await nextTurn()
    signal.throwIfAborted()
    const text = await readPage(document, number, values.get(number) ?? [], notes)
    const piece = pagePiece(number, text, outline, bodySize)
    // The placeholder for programs other than Adobe Reader.
    if (isXfa && /please wait|adobe reader/i.test(piece.text)) notes.placeholders.push(number)
    yield piece
  }
  return { ...notes.judge(pages, missingCMaps), ...title, pages }
}

type PageText = { lines: readonly Line[]; values: readonly string[] }

async function readPage(
  document: PdfDocument,
  number: number,
  values: readonly string[],
  notes: PageNotes,
): Promise<PageText> {
  try {
    const page = await document.getPage(number)
    try {
      const lines = await readLines(page, number, notes)
      if (lines.length > 0 || values.length > 0) notes.read += 1
      else if (notes.garbled.at(-1) !== number && (await hasPicture(page))) notes.pictures.push(number)
      return { lines, values }
    } finally {
      page.cleanup()
    }
  } catch {
    notes.damaged.push(number)
    return { lines: [], values }
  }
}

async function readLines(page: PdfPage, number: number, notes: PageNotes): Promise<Line[]> {
  const content = await page.getTextContent()
  const said = content.items.map((item) => ('str' in item ? item.str : '')).join(' ')
  if (isGarbled(said)) notes.garbled.push(number)
  const lines = pageLines(content)
  const text = linesText(lines)
  if (isApart(lettersApart(text), text.length)) notes.apart.push(number)
  const order = orderOf(text)
  if (order === 'unclear') notes.unordered.push(number)
  return order === 'turned' ? pageLines(content, { isTurned: true }) : lines
}

function linesText(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join('\n')
}

function pagePiece(
  number: number,
  { lines, values }: PageText,
  outline: ReadonlyMap<number, readonly OutlineEntry[]>,
  bodySize: BodySize,
): Piece {
  bodySize.count(lines)
  const paragraphs = pageParagraphs(lines)
  const parts =
    outline.size === 0
      ? headingsBySize(paragraphs, bodySize.size)
      : headingsByOutline(paragraphs, outline.get(number) ?? [])
  const writer = new BlockWriter()
  for (const { lines: own, level } of parts)
    if (level === undefined) writer.add('text', joinLines(own))
    else writer.add('heading', joinLines(own).replaceAll('\n', ' '), { level })
  for (const value of values) writer.add('text', value)
  return writer.piece(number)
}
