import type { Row } from './comparison.ts'

const widths = { label: 210, bars: 420, text: 130 }
const rowHeight = 18
const width = widths.label + widths.bars + widths.text
const title = 'CPU time of each contestant, as a ratio of its baseline'

/** The ratios as an SVG: a bar for each contestant, a line through its lowest and highest, and one at the baseline. */
export function plot(rows: readonly Row[], how: string): string {
  const most = Math.min(4, Math.max(1, ...rows.flatMap(({ ratios }) => ratios[2])))
  const x = (ratio: number): number => widths.label + (Math.min(ratio, most) / most) * widths.bars
  const lines = rows.flatMap(({ name, contestant, ratios }, index) => {
    const [middle, lowest, highest] = ratios
    const y = index * rowHeight + 10
    const bar = `<rect x="${widths.label}" y="${y}" width="${x(middle) - widths.label}" height="12" fill="${colourOf(contestant)}"/>`
    const spread = `<path d="M${x(lowest)} ${y + 6}H${x(highest)}" stroke="#333"/>`
    const figure = `${middle.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`
    return [
      `<text x="4" y="${y + 10}">${escaped(`${name}: ${contestant}`)}</text>`,
      ...[bar, spread],
      `<text x="${widths.label + widths.bars + 6}" y="${y + 10}">${figure}</text>`,
    ]
  })
  const height = rows.length * rowHeight + 40
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<title>${title}</title>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...lines,
    `<path d="M${x(1)} 4V${height - 26}" stroke="#999" stroke-dasharray="3"/>`,
    `<text x="4" y="${height - 8}">${escaped(how)}</text>`,
    '</svg>\n',
  ].join('\n')
}

function colourOf(contestant: string): string {
  if (contestant.startsWith('agentkit')) return '#2a6fdb'
  return contestant === 'raw-http' ? '#9bc29b' : '#b9b9b9'
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
