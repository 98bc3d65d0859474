import { describe, expect, it } from 'vitest'
import { matches } from '../../__fixtures__/fake-pinecone-filter.ts'
import type { Filter } from '../../data/search-filter.ts'
import { chunkMetadata, passes, pineconeFilter } from './pinecone-filter.ts'

const files = ['a.md', 'b.TXT', 'LICENSE', 'docs/a.md', 'docs/deep/c.csv', 'docs2/d.md', 'docs']

describe.each<[string, Filter, string[]]>([
  ['nothing', {}, files],
  ['empty lists', { paths: [], exts: [] }, files],
  ['a file', { paths: ['a.md'] }, ['a.md']],
  ['a folder', { paths: ['docs/'] }, ['docs/a.md', 'docs/deep/c.csv']],
  ['files and folders', { paths: ['a.md', 'docs/deep/', 'docs'] }, ['a.md', 'docs/deep/c.csv', 'docs']],
  ['extensions', { exts: ['.txt', '.csv'] }, ['b.TXT', 'docs/deep/c.csv']],
  ['both', { paths: ['docs/', 'docs2/'], exts: ['.md'] }, ['docs/a.md', 'docs2/d.md']],
  ['what is nowhere', { paths: ['elsewhere/'] }, []],
])('a filter of %s', (_what, filter, expected) => {
  it('passes the same files there and here', () => {
    expect(files.filter((file) => passes(file, filter))).toEqual(expected)
    expect(files.filter((file) => matches(chunkMetadata(file), pineconeFilter(filter)))).toEqual(expected)
  })
})

it('fits the deepest path into the size limit of metadata', () => {
  const deepest = `${'a/'.repeat(2046)}a.md`
  expect(Buffer.byteLength(JSON.stringify(chunkMetadata(deepest)))).toBeLessThan(40_960)
})
