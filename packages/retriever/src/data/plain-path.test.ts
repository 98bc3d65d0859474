import { expect, it } from 'vitest'
import { isAt, plainPath, spellingsOf } from './plain-path.ts'

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

it('spells a path in both forms of Unicode, each of its names alone', () => {
  const [composed, decomposed] = ['é', 'é'.normalize('NFD')]
  expect(spellingsOf('a/b.md')).toEqual(['a/b.md'])
  expect(spellingsOf(`${composed}/a/${composed}.md`).sort()).toEqual(
    [
      `${composed}/a/${composed}.md`,
      `${composed}/a/${decomposed}.md`,
      `${decomposed}/a/${composed}.md`,
      `${decomposed}/a/${decomposed}.md`,
    ].sort(),
  )
  expect(spellingsOf(`${composed}/`.repeat(500))).toHaveLength(2)
})
