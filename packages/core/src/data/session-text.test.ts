import { expect, it } from 'vitest'
import { cutTitle, foldCase } from './session-text.ts'

it.each([
  [' \n 日本\t語 ', '日本 語'],
  ['😀'.repeat(100), '😀'.repeat(60)],
  [`${' '.repeat(999)}😀 tail`, '😀 tail'],
  [`a${' '.repeat(998)}😀 tail`, 'a'],
])('a title is the first line of a question, without half a character: %j', (question, title) => {
  expect(cutTitle(question)).toBe(title)
})

it.each([
  ['İSTANBUL', 'istanbul'],
  ['Isparta', 'ısparta'],
  ['STRASSE', 'straße'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['cafe\u0301', 'CAFÉ'],
  ['ＡＢＣ', 'abc'],
])('%s is found by %s', (text, q) => {
  expect(foldCase(text)).toBe(foldCase(q))
})
