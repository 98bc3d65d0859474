import { cleanText } from '../../text/clean-text.ts'
import { joinColumns, type TextContent, type TextItem } from './page-columns.ts'
import { isMostlyRight, isRightToLeft, lineInOrder, withOpenBrackets } from './right-to-left.ts'

/** A line of the page. */
export type Line = {
  text: string
  /** The font size of most of its characters, in points. */
  size: number
  /** From the bottom. `undefined` for a rotated line. */
  y: number | undefined
}

/**
 * The lines of a page in the order of the file's content, which is the reading order in most files. `isTurned`: its
 * Arabic or Hebrew words are reversed, see `orderOf`.
 */
export function pageLines(content: TextContent, { isTurned = false }: { isTurned?: boolean } = {}): Line[] {
  const lines: Line[] = []
  const printed = new Map<string, Place>()
  let line = emptyLine()
  let before: Place | undefined
  for (const item of inOrder(joinColumns(content), isTurned)) {
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

function inOrder(items: readonly TextItem[], isTurned: boolean): readonly TextItem[] {
  if (!items.some(({ str }) => isRightToLeft(str))) return items
  const order = { isTurned, isRightPage: isMostlyRight(items) }
  const ordered: TextItem[] = []
  let line: TextItem[] = []
  let before: Place | undefined
  const endLine = (): void => {
    const last = line.at(-1)
    const parts = lineInOrder(line, order).map((item) => ({ ...item, hasEOL: false }))
    const end = parts.pop()
    if (end !== undefined) parts.push({ ...end, hasEOL: last?.hasEOL === true })
    for (const part of parts) ordered.push(part)
    line = []
    before = undefined
  }
  for (const item of items) {
    const place = placeOf(item)
    if (item.str.trim() !== '') {
      if (before !== undefined && gapBetween(before, place) === '\n') endLine()
      before = place
    }
    line.push(item)
    if (item.hasEOL) endLine()
  }
  endLine()
  return ordered
}

/** The position of a run of letters; `isTurned` when it is not horizontal from left to right. */
type Place = { x: number; y: number; end: number; size: number; isTurned: boolean; isRight: boolean }

/** `transform` is [a, b, c, d, x, y]; PDF.js types its numbers as `any`. */
function placeOf({ str, transform, width }: TextItem): Place {
  const [along = 0, turn = 0, slant = 0, height = 0, x = 0, y = 0] = transform as readonly number[]
  return {
    x,
    y,
    end: x + width,
    size: Math.hypot(slant, height),
    isTurned: Math.abs(turn) > 0.01 || along < 0,
    isRight: isRightToLeft(str),
  }
}

/** Letters are printed twice with a small offset for bold type or a shadow. */
function isOverprint(before: Place | undefined, { x, y, size }: Place): boolean {
  return before !== undefined && Math.abs(before.x - x) < size * 0.15 && Math.abs(before.y - y) < size * 0.15
}

/** PDF.js detects most gaps and line ends, but not all where the font changes. */
function gapBetween(before: Place, { x, y, end, size, isTurned, isRight }: Place): '' | ' ' | '\n' {
  if (isTurned || before.isTurned) return ''
  const largest = Math.max(size, before.size)
  if (Math.abs(y - before.y) > largest * 0.7) return '\n'
  if (x < before.x && (isRight || before.isRight)) return before.x - end > largest * 0.25 ? ' ' : ''
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
  return { text: withOpenBrackets(composed(cleanText(text)).trimEnd()), size, y }
}

/** Ligatures and Arabic presentation forms become plain letters; other characters are kept. */
function composed(text: string): string {
  return text.replace(/[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]+/g, (forms) => forms.normalize('NFKC'))
}
