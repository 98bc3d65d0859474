/** Rules for mammoth: every paragraph style with an outline level is a heading, whatever its name. */
export function headingStyles(stylesXml: string): string[] {
  const styles = readStyles(stylesXml)
  const rules: string[] = []
  for (const id of styles.keys()) {
    const level = outlineLevel(styles, id)
    if (level !== undefined && level < 9) rules.push(`p.${escapeId(id)} => h${Math.min(level + 1, 6)}:fresh`)
  }
  return rules
}

type Style = { basedOn: string | undefined; level: number | undefined }

function readStyles(xml: string): Map<string, Style> {
  const styles = new Map<string, Style>()
  // Not a single regular expression: with unclosed styles it would search the rest of the text for each of them.
  for (const style of xml.split('</w:style>').slice(0, -1)) {
    const [, attributes = '', body = ''] = /<w:style\b([^<>]*)>([\s\S]*)$/.exec(style) ?? []
    const id = /\bw:styleId="([^"]*)"/.exec(attributes)?.[1]
    if (id === undefined || id === '' || !/\bw:type="paragraph"/.test(attributes)) continue
    const level = /<w:outlineLvl\b[^<>]*\bw:val="(\d)"/.exec(body)?.[1]
    styles.set(id, {
      basedOn: /<w:basedOn\b[^<>]*\bw:val="([^"]*)"/.exec(body)?.[1],
      level: level === undefined ? undefined : Number(level),
    })
  }
  return styles
}

function outlineLevel(styles: ReadonlyMap<string, Style>, id: string): number | undefined {
  let style = styles.get(id)
  for (let depth = 0; style !== undefined && depth < 20; depth++) {
    if (style.level !== undefined) return style.level
    style = style.basedOn === undefined ? undefined : styles.get(style.basedOn)
  }
  return undefined
}

/** Names in mammoth's rules contain letters, digits, `-` and `_`; other characters are escaped with a backslash. */
function escapeId(id: string): string {
  return id.replace(/^[^a-zA-Z_-]|[^a-zA-Z0-9_-]/g, (character) => `\\${character}`)
}
