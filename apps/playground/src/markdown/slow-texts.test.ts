import { Lexer } from 'marked'
import { expect, it, vi } from 'vitest'

// The texts need a page.
vi.mock('../text/t.ts', () => ({ t: (name: string) => name }))
const { blocksOf, htmlOf } = await import('./to-html.ts')

const render = (text: string): string => blocksOf(text, Object.create(null)).map(htmlOf).join('')

it('reads a long paragraph in pieces that end with a line or a word', () => {
  const line = `${'word '.repeat(50)}**bold**\n`
  expect(render(line.repeat(40)).split('<strong>bold</strong>')).toHaveLength(41)
  const words = `${'**bold** '.repeat(600)}`
  expect(render(words).split('<strong>bold</strong>')).toHaveLength(601)
})

it('keeps an image of a long paragraph whole', () => {
  const image = `![A chart of sales](data:image/png;base64,${'iVBO'.repeat(2_000)})`
  expect(render(`Before. ${image} ${'word '.repeat(1_000)}`)).toContain('alt="A chart of sales">')
})

it.each([
  ['many exclamation marks', '!'.repeat(20_000)],
  ['a link whose address does not come', `[a](${' '.repeat(20_000)}b`],
  ['many underscores of an address', 'a_'.repeat(10_000)],
])('shows %s, for which the parser takes quadratic time', (_, text) => {
  const inlineTokens = vi.spyOn(Lexer.prototype, 'inlineTokens')
  expect(render(text).replace(/<.*?>|\s/g, '')).toBe(text.replace(/\s/g, ''))
  expect(Math.max(...inlineTokens.mock.calls.map(([{ length }]) => length))).toBeLessThanOrEqual(3_001)
  inlineTokens.mockRestore()
})

it('takes no short text for a table of millions of cells', () => {
  const row = (cell: string): string => `|${`${cell}|`.repeat(3_000)}\n`
  expect(render(`${row('a')}${row('-')}${'b\n'.repeat(1_500)}`)).not.toContain('<table>')
  const head = '| a | b | c |\n|---|---|---|\n'
  expect(render(`${head}${'| 1 |\n'.repeat(2_000)}`).split('<td>')).toHaveLength(6_001)
  expect(render(`${row('a')}${row('-')}${row('b')}`).split('<td>')).toHaveLength(3_001)
})
