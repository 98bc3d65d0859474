import { expect, it, vi } from 'vitest'

// The texts need a page.
vi.mock('../text/t.ts', () => ({ t: (name: string) => name }))
const { blocksOf, htmlOf } = await import('./to-html.ts')

it.each([
  ['quotes', '>'.repeat(20_000), '&#62;'],
  ['lists', '1. '.repeat(7_000), '1. '],
])('shows %s that are nested deeper than a parser can follow as text', (_, text, sign) => {
  const html = blocksOf(text, Object.create(null)).map(htmlOf).join('')
  expect(html.split(sign).length - 1).toBeGreaterThan(5_000)
})
