import { decodeXml } from './decode-xml.ts'
import type { DocumentStyles } from './document-styles.ts'
import { type DocxParts, partText } from './docx-parts.ts'
import { replaceSpans } from './replace-spans.ts'

/** Code points that no text has: a label is between them. */
const [open, close] = ['\ufdd0', '\ufdd1']
const label = new RegExp(`${open}([^${close}]*)${close}`, 'g')

/** The label that a paragraph begins with; empty for one that shows none. */
export function labelOf(text: string): string | undefined {
  return text.startsWith(open) ? text.slice(1, text.indexOf(close)) : undefined
}

/** A text with its labels as words. */
export function withLabels(text: string): string {
  return text.includes(open) ? text.replace(label, (_, said: string) => (said === '' ? '' : `${said} `)) : text
}

/**
 * Writes the numbers of a document's lists and headings into its body, as Word shows them: `2.`, `4.1`, `b)`. mammoth counts
 * within each list of its HTML, which ends with every paragraph that is not numbered.
 */
export function writeLabels(body: string, parts: DocxParts, styles: DocumentStyles): string {
  const name = [...parts.keys()].find((part) => /^word\/numbering\d*\.xml$/i.test(part))
  if (name === undefined) return body
  const next = labeller(readNumbering(partText(parts, name)), styles)
  const current = replaceSpans(body, /<w:pPrChange\b/g, '</w:pPrChange>', () => '')
  return replaceSpans(current, /<w:pPr(?:\s[^<>]*[^/<>])?>/g, '</w:pPr>', (properties) => {
    const said = next(properties)
    return said === undefined
      ? properties
      : `${properties}<w:r><w:t xml:space="preserve">${open}${escaped(said)}${close}</w:t></w:r>`
  })
}

/** `isLegal`: all its numbers have digits, `2.01` below `Article II`. */
type Level = { start: number; format: string; text: string; style: string | undefined; isLegal: boolean }
type Numbering = {
  /** The levels of each kind of list. */
  kinds: Map<string, { levels: Map<number, Level>; styleLink: string | undefined }>
  /** The kind of each list, and the numbers at which its levels begin again. */
  lists: Map<string, { kind: string; starts: Map<number, number> }>
}

function readNumbering(xml: string): Numbering {
  const kinds: Numbering['kinds'] = new Map()
  for (const part of elementsOf(xml, 'abstractNum')) {
    const levels = new Map<number, Level>()
    for (const level of elementsOf(part, 'lvl')) {
      const place = Number(attributeOf(level, 'lvl', 'ilvl') ?? 0)
      if (!(place >= 0 && place < mostLevels)) continue
      levels.set(place, {
        start: Number(attributeOf(level, 'start') ?? 1) || 0,
        format: attributeOf(level, 'numFmt') ?? 'decimal',
        // Bounded, as the label is repeated at each paragraph.
        text: decodeXml(attributeOf(level, 'lvlText') ?? `%${place + 1}.`).slice(0, longestLabel),
        style: attributeOf(level, 'pStyle'),
        isLegal: /<w:isLgl\s*\/>|<w:isLgl\s+w:val="(?:1|true|on)"/.test(level),
      })
    }
    kinds.set(attributeOf(part, 'abstractNum', 'abstractNumId') ?? '', {
      levels,
      styleLink: attributeOf(part, 'numStyleLink'),
    })
  }
  const lists: Numbering['lists'] = new Map()
  for (const part of elementsOf(xml, 'num')) {
    const starts = new Map<number, number>()
    for (const override of elementsOf(part, 'lvlOverride')) {
      const start = Number(attributeOf(override, 'startOverride') ?? Number.NaN)
      if (!Number.isNaN(start)) starts.set(Number(attributeOf(override, 'lvlOverride', 'ilvl') ?? 0), start)
    }
    lists.set(attributeOf(part, 'num', 'numId') ?? '', { kind: attributeOf(part, 'abstractNumId') ?? '', starts })
  }
  return { kinds, lists }
}

/** Returns the label of each paragraph, from its properties; undefined for one that is not numbered, or has a bullet. */
function labeller({ kinds, lists }: Numbering, styles: DocumentStyles): (properties: string) => string | undefined {
  const counts = new Map<string, number[]>()
  const begun = new Set<string>()

  return (properties) => {
    const styleId = attributeOf(properties, 'pStyle')
    const ofStyle = styleId === undefined ? undefined : styles.numbering(styleId)
    const listId = attributeOf(properties, 'numId') ?? ofStyle?.list
    const list = listId === undefined ? undefined : lists.get(listId)
    // A deleted paragraph is not counted.
    if (listId === undefined || list === undefined || /<w:del\b/.test(properties)) return undefined
    const kind = kindOf(list.kind)
    const levels = kinds.get(kind)?.levels ?? new Map<number, Level>()
    const linked = [...levels].find(([, { style }]) => style !== undefined && style === styleId)?.[0]
    const place = Number(attributeOf(properties, 'ilvl') ?? linked ?? ofStyle?.level ?? 0)
    const level = levels.get(place)
    if (level === undefined) return undefined

    const count = counts.get(kind) ?? []
    counts.set(kind, count)
    const start = list.starts.get(place)
    const isFirst = start !== undefined && !begun.has(`${listId} ${place}`)
    begun.add(`${listId} ${place}`)
    count[place] = isFirst || count[place] === undefined ? (start ?? level.start) : count[place] + 1
    count.length = place + 1
    if (level.format === 'bullet') return undefined
    return level.text
      .replace(/%([1-9])/g, (_, digit: string) => {
        const at = Number(digit) - 1
        const { start = 1, format = 'decimal' } = levels.get(at) ?? {}
        return written(count[at] ?? start, level.isLegal && format !== 'decimalZero' ? 'decimal' : format)
      })
      .trim()
      .slice(0, longestLabel)
  }

  /** The kind whose levels hold: one may lead to another by a style. */
  function kindOf(kind: string): string {
    const link = kinds.get(kind)?.styleLink
    const list = link === undefined ? undefined : styles.numbering(link)?.list
    const linked = list === undefined ? undefined : lists.get(list)?.kind
    return linked !== undefined && kinds.get(linked)?.styleLink === undefined ? linked : kind
  }
}

const mostLevels = 9
const longestLabel = 60

function written(number: number, format: string): string {
  switch (format) {
    case 'lowerLetter':
    case 'upperLetter': {
      const letter = String.fromCharCode(97 + ((number - 1) % 26))
      const letters = number > 0 && number <= 260 ? letter.repeat(Math.ceil(number / 26)) : String(number)
      return format === 'upperLetter' ? letters.toUpperCase() : letters
    }
    case 'lowerRoman':
      return roman(number).toLowerCase()
    case 'upperRoman':
      return roman(number)
    case 'decimalZero':
      return String(number).padStart(2, '0')
    case 'none':
    case 'bullet':
      return ''
    default:
      return String(number)
  }
}

const numerals = Object.entries({
  M: 1000,
  CM: 900,
  D: 500,
  CD: 400,
  C: 100,
  XC: 90,
  L: 50,
  XL: 40,
  X: 10,
  IX: 9,
  V: 5,
  IV: 4,
  I: 1,
})

function roman(number: number): string {
  if (number < 1 || number > 3999) return String(number)
  let rest = number
  let text = ''
  for (const [sign, value] of numerals) for (; rest >= value; rest -= value) text += sign
  return text
}

/** The elements with a name, none of which contains another one. */
function elementsOf(xml: string, name: string): string[] {
  const found: string[] = []
  replaceSpans(xml, new RegExp(`<w:${name}(?:\\s[^<>]*[^/<>])?>`, 'g'), `</w:${name}>`, (element) => {
    found.push(element)
    return ''
  })
  return found
}

/** The value of the first element with a name. */
function attributeOf(xml: string, name: string, attribute = 'val'): string | undefined {
  return new RegExp(`<w:${name}\\s(?:[^<>]*\\s)?w:${attribute}="([^"<>]*)"`).exec(xml)?.[1]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
