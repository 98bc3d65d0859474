import { afterAll, expect, it, vi } from 'vitest'

// The texts set the language of the page.
vi.stubGlobal('document', { documentElement: {} })
const { formatDuration, plainName } = await import('./format.ts')
afterAll(() => void vi.unstubAllGlobals())

it.each([
  [999.7, '1.0 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [60_000, '1 min 0 s'],
  [119_700, '1 min 59 s'],
  [119_960, '2 min 0 s'],
  [120_000, '2 min 0 s'],
])('shows a duration of %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

it.each([
  ['می‌خواهم', 'می‌خواهم'],
  ['👩‍👩‍👧', '👩‍👩‍👧'],
  ['a\u202eb\u200bc\u200e\u0007', 'abc'],
  ['a😀😀😀', 'a😀…'],
])('shows the name %j as %j', (name, shown) => {
  expect(plainName(name, name.startsWith('a😀') ? 4 : 80)).toBe(shown)
})
