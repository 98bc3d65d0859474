import { expect, it } from 'vitest'
import type { FileRecord } from '../data/file-record.ts'
import { fileChanges } from './file-changes.ts'

function record(file: string, more: Partial<FileRecord> = {}): FileRecord {
  return { file, size: 1, mtimeMs: 1, hash: file, status: 'ok', chunks: 1, characters: 1, ...more }
}
const nothing = { skipped: [] }

it('names no file at first, then the added, changed and removed ones', () => {
  const changes = fileChanges()
  expect(changes.since([record('a.md'), record('b.md')], nothing)).toEqual([])
  expect(changes.since([record('a.md', { hash: 'x' }), record('c.md')], nothing)).toEqual([
    { file: 'a.md', change: 'changed', status: 'ok' },
    { file: 'c.md', change: 'added', status: 'ok' },
    { file: 'b.md', change: 'removed', status: 'ok' },
  ])
  expect(changes.since([record('a.md', { hash: 'x', mtimeMs: 2 }), record('c.md')], nothing)).toEqual([])
})

it('has the reason of a file that cannot be read, also of one that is not in the index', () => {
  const changes = fileChanges()
  changes.since([], nothing)
  const corrupt = { status: 'corrupt', reason: 'It is damaged.' } as const
  const skipped = [
    { file: 'a.pdf', ...corrupt },
    { file: 'b.xlsx', status: 'unsupported' as const, reason: 'Save it as .csv.' },
  ]
  expect(changes.since([record('a.pdf', corrupt)], { skipped })).toEqual([
    { file: 'a.pdf', change: 'added', ...corrupt },
    { file: 'b.xlsx', change: 'added', status: 'unsupported', reason: 'Save it as .csv.' },
  ])
})
