import { vanishOf } from './vanish.ts'

/** The styles of a document, including inherited properties. */
export type DocumentStyles = {
  /** Of its paragraph styles. */
  ids: readonly string[]
  outlineLevel(id: string): number | undefined
  /** The list that paragraphs of a style are items of. */
  numbering(id: string): { list: string | undefined; level: number | undefined } | undefined
  /** Whether a paragraph style hides its text; of paragraphs that name none, the default one. */
  hidesParagraph(id: string | undefined): boolean
  /** Whether a character style hides its text. */
  hidesRun(id: string | undefined): boolean
}

/** Rules for mammoth: every paragraph style with an outline level is a heading, whatever its name. */
export function headingStyles(stylesXml: string): string[] {
  const styles = documentStyles(stylesXml)
  const rules: string[] = []
  for (const id of styles.ids) {
    const level = styles.outlineLevel(id)
    if (level !== undefined && level < 9) rules.push(`p.${escapeId(id)} => h${Math.min(level + 1, 6)}:fresh`)
  }
  return rules
}

type Style = {
  basedOn: string | undefined
  outline: number | undefined
  list: string | undefined
  level: number | undefined
  hides: boolean | undefined
}

export function documentStyles(xml: string): DocumentStyles {
  const styles = readStyles(xml)
  const ids = [...styles.keys()].filter((id) => styles.get(id)?.type === 'paragraph')
  const usual = ids.find((id) => styles.get(id)?.isDefault)
  const hides = (id: string | undefined): boolean =>
    id !== undefined && inherited(styles, id, (style) => style.hides) === true
  return {
    ids,
    hidesParagraph: (id = usual) => hides(id),
    hidesRun: hides,
    outlineLevel: (id) => inherited(styles, id, ({ outline }) => outline),
    numbering(id) {
      const list = inherited(styles, id, (style) => style.list)
      return list === undefined ? undefined : { list, level: inherited(styles, id, ({ level }) => level) }
    },
  }
}

type ReadStyle = Style & { type: string; isDefault: boolean }

function readStyles(xml: string): Map<string, ReadStyle> {
  const styles = new Map<string, ReadStyle>()
  // A single regular expression would search the rest of the text for each unclosed style.
  for (const style of xml.split('</w:style>').slice(0, -1)) {
    const [, attributes = '', body = ''] = /<w:style\b([^<>]*)>([\s\S]*)$/.exec(style) ?? []
    const id = /\bw:styleId="([^"]*)"/.exec(attributes)?.[1]
    const type = /\bw:type="(paragraph|numbering|character)"/.exec(attributes)?.[1]
    if (id === undefined || id === '' || type === undefined) continue
    const value = (name: string): string | undefined =>
      new RegExp(`<w:${name}\\b[^<>]*\\bw:val="([^"]*)"`).exec(body)?.[1]
    const outline = /^\d$/.exec(value('outlineLvl') ?? '')?.[0]
    const level = value('ilvl')
    styles.set(id, {
      type,
      isDefault: /\bw:default="(?:1|true|on)"/.test(attributes),
      basedOn: value('basedOn'),
      outline: outline === undefined ? undefined : Number(outline),
      list: value('numId'),
      level: level === undefined ? undefined : Number(level),
      // Properties before a tracked change are within it.
      hides: vanishOf(body.split('<w:rPrChange', 1)[0] ?? ''),
    })
  }
  return styles
}

function inherited<Value>(
  styles: ReadonlyMap<string, Style>,
  id: string,
  pick: (style: Style) => Value | undefined,
): Value | undefined {
  let style = styles.get(id)
  for (let depth = 0; style !== undefined && depth < 20; depth++) {
    const value = pick(style)
    if (value !== undefined) return value
    style = style.basedOn === undefined ? undefined : styles.get(style.basedOn)
  }
  return undefined
}

/** Names in mammoth's rules contain letters, digits, `-` and `_`; other characters are escaped with a backslash. */
function escapeId(id: string): string {
  return id.replace(/^[^a-zA-Z_-]|[^a-zA-Z0-9_-]/g, (character) => `\\${character}`)
}
