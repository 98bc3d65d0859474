const palette = ['#1f2328', '#cf222e', '#116329', '#7d4e00', '#0550ae', '#8250df', '#1b7c83', '#57606a']
const size = { cell: 8.4, line: 20, margin: 16, bar: 32 }

type Style = { color?: string; isBold: boolean; isFaint: boolean }
const plain: Style = { isBold: false, isFaint: false }

/**
 * The screen of a terminal as SVG, with its colours; without scripts, fonts or links.
 *
 * @param screen its lines, with the escape sequences of colours, as `tmux capture-pane -e` prints them
 * @param title for those who do not see it
 */
export function terminalPicture(screen: string, title: string): string {
  const lines = screen.trimEnd().split('\n')
  const columns = Math.max(...lines.map((line) => line.replaceAll(sequence, '').length), 40)
  const width = Math.ceil(columns * size.cell + 2 * size.margin)
  const height = lines.length * size.line + size.bar + size.margin
  let style = plain
  const texts = lines.map((line, index) => {
    const spans: string[] = []
    for (const part of line.split(sequence)) {
      const codes = exactly.exec(part)?.[1]
      if (codes === undefined) spans.push(spanOf(part, style))
      else style = codes.split(';').reduce(styled, style)
    }
    return `<text x="${size.margin}" y="${size.bar + (index + 1) * size.line - 5}">${spans.join('')}</text>`
  })
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, index) => `<circle cx="${18 + index * 18}" cy="16" r="5.5" fill="${color}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#1f2328">
<title>${escaped(title)}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>
${[...dots, ...texts].join('\n')}
</svg>
`
}

const esc = '\u001b'
/** The colours of a terminal: `ESC[1;32m`. */
const sequence = new RegExp(`(${esc}\\[[\\d;]*m)`, 'g')
const exactly = new RegExp(`^${esc}\\[([\\d;]*)m$`)

function styled(style: Style, code: string): Style {
  const number = Number(code || 0)
  if (number === 0) return plain
  if (number === 1) return { ...style, isBold: true }
  if (number === 2) return { ...style, isFaint: true }
  if (number === 22) return { ...style, isBold: false, isFaint: false }
  if (number === 39) {
    const { color: _, ...rest } = style
    return rest
  }
  const color = palette[number % 10]
  const isColor = (number >= 30 && number < 38) || (number >= 90 && number < 98)
  return isColor && color !== undefined ? { ...style, color } : style
}

function spanOf(text: string, { color, isBold, isFaint }: Style): string {
  if (text === '') return ''
  const fill = color ?? (isFaint ? palette[7] : undefined)
  const attributes = `${fill ? ` fill="${fill}"` : ''}${isBold ? ' font-weight="bold"' : ''}`
  return attributes === '' ? escaped(text) : `<tspan${attributes}>${escaped(text)}</tspan>`
}

function escaped(text: string): string {
  // SVG collapses spaces; these replacements keep indentation.
  const spaced = text.replaceAll(/^ +| {2,}/g, (spaces) => '\u00a0'.repeat(spaces.length))
  return spaced.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
