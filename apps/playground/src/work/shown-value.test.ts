import { expect, it, vi } from 'vitest'

// The texts need a page.
vi.mock('../text/t.ts', () => ({ t: (name: string) => name }))
const { shownValue } = await import('./shown-value.ts')

it.each([
  [{ to: '\u202eelliv3@live.example\u202c' }, '{\n  "to": "\\u202eelliv3@live.example\\u202c"\n}'],
  ['pay \u2066bob\u2069\u061c', 'pay \\u2066bob\\u2069\\u061c'],
  [{ name: 'שלום 👩‍👩‍👧' }, '{\n  "name": "שלום 👩‍👩‍👧"\n}'],
])('shows %j in the order of its characters', (value, text) => {
  expect(shownValue(value)).toBe(text)
})
