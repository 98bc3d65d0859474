import { expect, it } from 'vitest'
import { formatEntry } from './format-entry.ts'

const wide = 'x'.repeat(100)

it.each([
  ['what fits a line', { a: [1, null, {}], b: undefined }, '{ "a": [1, null, {}] }'],
  ['what does not', { a: [wide, 'y'], b: {} }, `{\n  "a": ["${wide}", "y"],\n  "b": {}\n}`],
  ['a list that does not', [wide, [wide]], `[\n  "${wide}",\n  ["${wide}"]\n]`],
  ['a key that takes room', { [wide]: ['y'.repeat(20)] }, `{\n  "${wide}": [\n    "${'y'.repeat(20)}"\n  ]\n}`],
  ['values that JSON does not have', [undefined, Number.NaN], '[null, null]'],
])('formats %s', (_, value, text) => {
  expect(formatEntry(value)).toBe(text)
})

it('never starts a line inside an entry with an opening brace, which starts the next entry', () => {
  const text = formatEntry([{ a: [{ b: wide, c: '\n{' }, { d: wide }], e: wide }])
  expect(text.split('\n').filter((line) => line.startsWith('{'))).toEqual([])
  expect(JSON.parse(text)[0].a[0].c).toBe('\n{')
})
