import type { parseDocument } from 'htmlparser2'
import type { BlockWriter } from '../pieces/block-writer.ts'
import { labelOf, withLabels } from './list-labels.ts'

type Node = ReturnType<typeof parseDocument>['children'][number]
type Element = Extract<Node, { attribs: object }>

/** Converts mammoth's HTML to blocks. */
export function writeHtml(nodes: readonly Node[], writer: BlockWriter): void {
  for (const node of nodes) writeNode(node, writer)
}

function writeNode(node: Node, writer: BlockWriter): void {
  if (!isElement(node)) {
    writer.add('text', inlineText(node))
    return
  }
  // An empty paragraph that is numbered.
  const label = firstLabel(node)
  if (label !== undefined && inlineText(node).trim() === label) return
  const level = /^h([1-6])$/.exec(node.name)?.[1]
  if (level !== undefined) writeHeading(oneLine(inlineText(node)), Number(level), writer)
  else if (node.name === 'ul' || node.name === 'ol') writeList(node, writer)
  else if (node.name === 'table') writeTable(node, writer)
  else if (node.name === 'dl') writeComments(node, writer)
  else if (node.name === 'pre') writer.add('code', inlineText(node))
  else writer.add('text', inlineText(node))
}

/** A long paragraph in a heading style is written as a paragraph. */
function writeHeading(text: string, level: number, writer: BlockWriter): void {
  if (text.length > 200 || !/[\p{L}\p{N}]/u.test(text)) writer.add('text', text)
  else writer.add('heading', text, { level })
}

function writeList(list: Element, writer: BlockWriter, depth = 0): void {
  let number = 0
  for (const item of list.children.filter(isElement)) {
    number += 1
    const own = item.children.filter((child) => !isList(child) && !isTable(child))
    const label = own[0] && firstLabel(own[0])
    const counted = list.name === 'ol' ? `${number}.` : '-'
    const mark = isNote(item) ? `[${number}]` : (label ?? counted)
    const said = own
      .map(inlineText)
      .join('')
      .replace(/\n{2,}/g, '\n')
      .trim()
    const text = said.slice(label?.length ?? 0).trimStart()
    if (text !== '') writer.add('text', `${mark} ${text}`, { tight: number > 1 || depth > 0 })
    for (const child of item.children)
      if (isList(child)) writeList(child, writer, depth + 1)
      else if (isTable(child)) writeTable(child, writer)
  }
}

/** The label of a paragraph or an item: see `writeLabels`. */
function firstLabel(node: Node): string | undefined {
  if (!isElement(node)) return 'data' in node && node.type === 'text' ? labelOf(node.data) : undefined
  const [first] = node.children
  return first === undefined ? undefined : firstLabel(first)
}

/** A row on one line, its cells separated by `|`. A table with one column is layout. */
function writeTable(table: Element, writer: BlockWriter): void {
  const rows = rowsOf(table)
  if (rows.every((cells) => cells.length < 2)) {
    for (const cell of rows.flat()) writeHtml(cell.children, writer)
    return
  }
  writer.add('table', rowTexts(rows).join('\n'))
}

/** Characters of merged cells that are repeated in a table: a small document may merge a long cell with thousands below it. */
const mostRepeated = 1_000_000
/** The limits of HTML. */
const mostColumns = 1_000
const mostRows = 65_534

/** The texts of each row. A cell that is merged with the cells below it is repeated in each of its rows. */
function rowTexts(rows: readonly Element[][]): string[] {
  const merged = new Map<number, { text: string; width: number; left: number }>()
  let repeated = 0
  return rows.flatMap((cells) => {
    const texts: string[] = []
    let own = 0
    let hasOwn = false
    for (let column = 0; own < cells.length || merged.has(column); ) {
      const above = merged.get(column)
      if (above !== undefined) {
        repeated += above.text.length
        texts.push(repeated > mostRepeated ? '' : above.text)
        if (--above.left === 0) merged.delete(column)
        column += above.width
        continue
      }
      const cell = cells[own++] as Element
      const text = oneLine(inlineText(cell))
      const width = spanOf(cell.attribs.colspan, mostColumns)
      const left = spanOf(cell.attribs.rowspan, mostRows) - 1
      if (left > 0) merged.set(column, { text, width, left })
      texts.push(text)
      hasOwn ||= text !== ''
      column += width
    }
    return hasOwn ? [texts.join(' | ')] : []
  })
}

/** A damaged document may have any text there. */
function spanOf(attribute: string | undefined, most: number): number {
  return Math.min(most, Math.max(1, Number(attribute ?? 1) || 1))
}

function rowsOf(table: Element): Element[][] {
  return table.children.filter(isElement).flatMap((child) => {
    if (child.name === 'thead' || child.name === 'tbody') return rowsOf(child)
    return child.name === 'tr' ? [child.children.filter(isElement)] : []
  })
}

function writeComments(list: Element, writer: BlockWriter): void {
  let label = ''
  for (const child of list.children.filter(isElement)) {
    if (child.name === 'dt') label = inlineText(child)
    else writer.add('text', `${label} ${inlineText(child).trim()}`)
  }
}

function inlineText(node: Node): string {
  if (!isElement(node)) return 'data' in node && node.type === 'text' ? withLabels(node.data) : ''
  if (node.name === 'br') return '\n'
  if (node.name === 'input') return node.attribs.checked === undefined ? '☐ ' : '☑ '
  // Comment marks would interrupt sentences; arrows link a note back to its place.
  if (node.name === 'a' && /^comment-ref-/.test(node.attribs.id ?? '')) return ''
  if (node.name === 'a' && /^#(footnote|endnote|comment)-ref-/.test(node.attribs.href ?? '')) return ''
  const text = node.children.map(inlineText).join('')
  return blocks.has(node.name) ? `\n${text}\n` : text
}

const blocks: ReadonlySet<string> = new Set([
  'p',
  'ol',
  'ul',
  'li',
  'tr',
  'td',
  'th',
  'dd',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
])

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isElement(node: Node): node is Element {
  return 'name' in node && 'attribs' in node
}

function isList(node: Node): node is Element {
  return isElement(node) && (node.name === 'ul' || node.name === 'ol')
}

function isTable(node: Node): node is Element {
  return isElement(node) && node.name === 'table'
}

function isNote({ attribs }: Element): boolean {
  return /^(footnote|endnote)-/.test(attribs.id ?? '')
}
