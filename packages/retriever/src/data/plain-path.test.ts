import { expect, it } from 'vitest'
import { isAt, plainPath } from './plain-path.ts'

it.each([
  ['a.md', 'a.md'],
  ['./a.md', 'a.md'],
  ['/docs/', 'docs'],
  ['docs//deep/./', 'docs/deep'],
  [' a.md ', ' a.md '],
  ['docs/../a.md', 'a.md'],
  ['.', ''],
  ['./', ''],
  ['/', ''],
  ['', ''],
  ['../a.md', '../a.md'],
  ['.hidden', '.hidden'],
])('%j is %j', (path, plain) => {
  expect(plainPath(path)).toBe(plain)
})

it.each([
  ['docs', 'docs/a.md', true],
  ['docs/a.md', 'docs/a.md', true],
  ['', 'docs/a.md', true],
  ['doc', 'docs/a.md', false],
  ['Café', 'Café/a.md'.normalize('NFD'), true],
  ['Café.md'.normalize('NFD'), 'Café.md', true],
])('at %j is %s: %s', (path, file, whether) => {
  expect(isAt(path, file)).toBe(whether)
})
