import { expect, it } from 'vitest'
import { passes, wholeFilter } from './search-filter.ts'

it.each([
  [{}, {}],
  [{ exts: ['md', '.TXT', ' Pdf '] }, { exts: ['.md', '.txt', '.pdf'] }],
  [{ exts: ['md', '.md'] }, { exts: ['.md'] }],
  [{ paths: ['./a.md', 'b/'] }, { paths: ['a.md', 'a.md/', 'b/'] }],
  [{ paths: ['./b', '/b//', 'b'] }, { paths: ['b', 'b/'] }],
  [{ paths: ['é/'] }, { paths: ['\u00e9/', 'e\u0301/'] }],
  [{ paths: ['./', 'b/'] }, {}],
  [{ paths: ['/'] }, {}],
  [{ paths: [] }, 'nothing'],
  [{ exts: [] }, 'nothing'],
])('%o is %o', (filter, whole) => {
  expect(wholeFilter(filter)).toEqual(whole)
})

it.each([
  ['a.md', {}, true],
  ['a.md', { exts: ['.md'] }, true],
  ['A.MD', { exts: ['.md'] }, true],
  ['a.mdx', { exts: ['.md'] }, false],
  ['b/a.md', { paths: ['b/'] }, true],
  ['bb/a.md', { paths: ['b/'] }, false],
  ['b/a.md', { paths: ['b'] }, false],
  ['b/a.md', { paths: ['b/a.md'], exts: ['.txt'] }, false],
])('%s passes %o: %s', (file, filter, whether) => {
  expect(passes(filter, file)).toBe(whether)
})
