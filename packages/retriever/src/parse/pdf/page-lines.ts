import { cleanText } from '../clean-text.ts'
import { joinColumns, type TextContent } from './page-columns.ts'

/** A line as it stands on the page. */
export type Line = {
  text: string
  /** Of most of its characters, in points. */
  size: number
  /** From the bottom. `undefined` for a line that is turned. */
  y: number | undefined
}

/** The lines of a page in the order in which it was written, which is the order of reading in most files. */
export function pageLines(content: TextContent): Line[] {
  const lines: Line[] = []
  const printed = new Map<string, Place>()
  let line = emptyLine()
  let before: Place | undefined
  for (const item of joinColumns(content)) {
    const place = placeOf(item)
    if (item.str.trim() !== '') {
      if (isOverprint(printed.get(item.str), place)) continue
      printed.set(item.str, place)
      const gap = before === undefined ? '' : gapBetween(before, place)
      if (gap === '\n' && line.text.trim() !== '') {
        lines.push(finish(line))
        line = emptyLine()
      } else if (gap === ' ' && !/\s$/.test(line.text) && !/^\s/.test(item.str)) line.text += ' '
      measure(line, item.str.length, place)
      before = place
    } else if (item.str !== '') before = place
    line.text += item.str
    if (!item.hasEOL) continue
    lines.push(finish(line))
    line = emptyLine()
    before = undefined
  }
  lines.push(finish(line))
  return lines.filter(({ text }) => text.trim() !== '')
}

/** Of a run of letters; `isTurned` when it does not run from left to right on a level line. */
type Place = { x: number; y: number; end: number; size: number; isTurned: boolean }

/** `transform` is [a, b, c, d, x, y]; its numbers are typed as `any` by PDF.js. */
function placeOf({ transform, width }: { transform: readonly number[]; width: number }): Place {
  const [along = 0, turn = 0, slant = 0, height = 0, x = 0, y = 0] = transform
  return { x, y, end: x + width, size: Math.hypot(slant, height), isTurned: Math.abs(turn) > 0.01 || along < 0 }
}

/** Letters are printed twice, a hair apart, to look bold or to have a shadow. */
function isOverprint(before: Place | undefined, { x, y, size }: Place): boolean {
  return before !== undefined && Math.abs(before.x - x) < size * 0.15 && Math.abs(before.y - y) < size * 0.15
}

/** PDF.js finds most gaps and line ends itself, but not all where the font changes. */
function gapBetween(before: Place, { x, y, size, isTurned }: Place): '' | ' ' | '\n' {
  if (isTurned || before.isTurned) return ''
  const largest = Math.max(size, before.size)
  if (Math.abs(y - before.y) > largest * 0.7) return '\n'
  const gap = x - before.end
  return gap > largest * 0.25 || x < before.x - largest ? ' ' : ''
}

type OpenLine = { text: string; y: number | undefined; sizes: Map<number, number> }

function emptyLine(): OpenLine {
  return { text: '', y: undefined, sizes: new Map() }
}

function measure(line: OpenLine, characters: number, { y, size, isTurned }: Place): void {
  if (!isTurned) line.y ??= y
  const rounded = Math.round(size * 2) / 2
  line.sizes.set(rounded, (line.sizes.get(rounded) ?? 0) + characters)
}

function finish({ text, y, sizes }: OpenLine): Line {
  const [size = 0] = [...sizes].reduce<readonly number[]>((most, each) => (each[1] > (most[1] ?? 0) ? each : most), [])
  return { text: composed(cleanText(text)).trimEnd(), size, y }
}

/** Ligatures and Arabic presentation forms become the letters that people type; all else stays as it is. */
function composed(text: string): string {
  return text.replace(/[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]+/g, (forms) => forms.normalize('NFKC'))
}
