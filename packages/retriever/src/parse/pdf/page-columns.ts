import type { PdfPage } from './open-pdf.ts'

export type TextContent = Awaited<ReturnType<PdfPage['getTextContent']>>
export type TextItem = Extract<TextContent['items'][number], { str: string }>

/**
 * The text items of a page, with each column of vertical writing as one item. PDF.js returns a column of individually
 * placed characters as one item, or one line, per character. Adjacent columns are read from the right.
 */
export function joinColumns({ items, styles }: TextContent): TextItem[] {
  const joined: TextItem[] = []
  let block: Column[] = []
  let column: Column | undefined
  const endColumn = (): void => {
    if (column === undefined) return
    if (isColumn(column)) block.push(column)
    else {
      endBlock()
      for (const item of column.items) joined.push(item)
    }
    column = undefined
  }
  const endBlock = (): void => {
    const columns = block.sort((left, right) => right.x - left.x)
    block = []
    // The text before a column is another line.
    for (const each of columns) joined.push(lineEnd(each), asItem(each))
  }
  for (const item of items) {
    if (!('str' in item)) continue
    const isVertical = styles[item.fontName]?.vertical === true
    const sign = item.str.trim()
    if (sign === '' && column !== undefined) column.items.push(item)
    else if (sign !== '' && (isVertical || sign.length <= 2)) {
      const place = placeOf(item, isVertical)
      if (column !== undefined && follows(column, place)) extend(column, item, place)
      else {
        endColumn()
        const last = block.at(-1)
        // The next row of columns on the page.
        if (last !== undefined && place.top < last.bottom) endBlock()
        column = { ...place, items: [item], isVertical, signs: 1 }
      }
    } else {
      endColumn()
      endBlock()
      joined.push(item)
    }
  }
  endColumn()
  endBlock()
  return joined
}

/** `x` is the middle. Points, from the lower left. */
type Place = { x: number; top: number; bottom: number; size: number; isTurned: boolean }
type Column = Place & { items: TextItem[]; isVertical: boolean; signs: number }

function placeOf({ transform, width, height }: TextItem, isVertical: boolean): Place {
  // PDF.js types them as `any`; they are numbers.
  const [along = 0, turn = 0, slant = 0, up = 0, x = 0, y = 0] = transform as readonly number[]
  const size = Math.hypot(slant, up)
  const isTurned = Math.abs(turn) > 0.01 || along < 0
  // The origin of a vertical font's glyphs is their middle.
  return isVertical
    ? { x, top: y, bottom: y - height, size, isTurned }
    : { x: x + width / 2, top: y + size, bottom: y, size, isTurned }
}

function follows(column: Column, place: Place): boolean {
  const gap = column.bottom - place.top
  return (
    !column.isTurned &&
    !place.isTurned &&
    Math.abs(column.size - place.size) < column.size * 0.15 &&
    Math.abs(column.x - place.x) < column.size * 0.5 &&
    gap > column.size * -0.4 &&
    gap < column.size * (column.isVertical ? 1 : 0.4)
  )
}

function extend(column: Column, item: TextItem, { bottom }: Place): void {
  column.items.push(item)
  column.bottom = bottom
  column.signs += 1
}

/** Characters of other scripts below each other are a table or a list, not vertical text. */
const eastAsian = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Bopomofo}\\u3001-\\u301fー]'
const eastAsianSign = new RegExp(eastAsian, 'gu')
const gapOfSigns = new RegExp(`(?<=${eastAsian})\\s+(?=${eastAsian})`, 'gu')

function isColumn({ items, isVertical, signs }: Column): boolean {
  if (isVertical) return true
  const text = items.map(({ str }) => str).join('')
  return signs > 1 && (text.match(eastAsianSign)?.length ?? 0) > text.trim().length / 2
}

function asItem({ items, isVertical, size }: Column): TextItem {
  const [first, ...rest] = items as [TextItem, ...TextItem[]]
  const str = [first, ...rest]
    .map((item) => item.str)
    .join('')
    // PDF.js returns the punctuation of vertical fonts in its rotated forms.
    .replace(/[\ufe10-\ufe19\ufe30-\ufe44]/g, (form) => form.normalize('NFKC'))
  const width = isVertical ? size : first.width
  return { ...first, width, str: str.replace(gapOfSigns, ''), hasEOL: true }
}

function lineEnd({ items }: Column): TextItem {
  return { ...(items[0] as TextItem), str: '', hasEOL: true }
}
