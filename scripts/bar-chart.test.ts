import { expect, it } from 'vitest'
import { barChart } from './bar-chart.ts'

const groups = [
  {
    label: 'loop <b>',
    bars: [
      { name: 'openai-sdk', value: 1 },
      { name: 'agentkit', value: 0.5 },
    ],
  },
  { label: 'tokens', bars: [{ name: 'agentkit', value: 0.25 }] },
]

it('draws bars in proportion, in one colour per name, with their values', () => {
  const svg = barChart({ title: 'CPU', note: '2026-11-24', groups })
  const bars = [...svg.matchAll(/width="([\d.]+)" height="14" fill="(#\w+)"/g)].map(([, width, fill]) => [width, fill])
  expect(bars).toEqual([
    ['460.0', '#6b7280'],
    ['230.0', '#2563eb'],
    ['115.0', '#2563eb'],
  ])
  expect(svg).toContain('>0.25</text>')
})

it('shows names as text', () => {
  const svg = barChart({ title: 'a & b', note: '', groups })
  expect(svg).toContain('loop &lt;b&gt;')
  expect(svg).toContain('<title>a &amp; b</title>')
})

it('draws nothing to scale where all are 0', () => {
  const svg = barChart({ title: '', note: '', groups: [{ label: 'a', bars: [{ name: 'b', value: 0 }] }] })
  expect(svg).not.toMatch(/NaN|Infinity/)
})
