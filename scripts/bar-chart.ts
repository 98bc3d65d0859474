/** Bars of one group, such as a row of a benchmark. */
export type BarGroup = { label: string; bars: readonly { name: string; value: number }[] }

/** The data of a chart, and the note below it: where and when it was measured. */
export type BarChart = { title: string; note: string; groups: readonly BarGroup[]; digits?: number }

// Each colour differs from the others in greyscale too, and has a contrast of 3 to 1 with white.
const colors = ['#6b7280', '#2563eb', '#b45309', '#15803d']
const size = { width: 720, labels: 190, values: 70, bar: 16, gap: 14, top: 58, bottom: 40 }

/** Horizontal bars as SVG, without scripts, fonts or links. */
export function barChart({ title, note, groups, digits = 2 }: BarChart): string {
  const names = [...new Set(groups.flatMap(({ bars }) => bars.map(({ name }) => name)))]
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)), Number.MIN_VALUE)
  const room = size.width - size.labels - size.values
  const lines: string[] = []
  let y = size.top
  for (const { label, bars } of groups) {
    const middle = y + (bars.length * size.bar) / 2 + 4
    lines.push(`<text x="${size.labels - 10}" y="${middle}" text-anchor="end">${escaped(label)}</text>`)
    for (const { name, value } of bars) {
      const width = Math.max(1, (value / most) * room).toFixed(1)
      const color = colors[names.indexOf(name) % colors.length]
      lines.push(`<rect x="${size.labels}" y="${y}" width="${width}" height="${size.bar - 2}" fill="${color}"/>`)
      lines.push(`<text x="${size.labels + Number(width) + 6}" y="${y + 12}">${value.toFixed(digits)}</text>`)
      y += size.bar
    }
    y += size.gap
  }
  const legend = names.map((name, index) => {
    const x = size.labels + index * 125
    const color = colors[index % colors.length]
    return `<rect x="${x}" y="32" width="12" height="12" fill="${color}"/><text x="${x + 18}" y="43">${escaped(name)}</text>`
  })
  const height = y + size.bottom - size.gap
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13" fill="#111827">
<title>${escaped(title)}</title>
<rect width="${size.width}" height="${height}" fill="#ffffff"/>
<text x="${size.labels}" y="20" font-weight="bold">${escaped(title)}</text>
${[...legend, ...lines].join('\n')}
<text x="${size.labels}" y="${height - 14}" font-size="11" fill="#4b5563">${escaped(note)}</text>
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
