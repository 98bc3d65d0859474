import { expect, it } from 'vitest'
import type { FileRecord } from '../data/file-record.ts'
import { planSync, type SyncPlan, timeToRemember } from './plan.ts'
import type { Scan } from './scan.ts'

const record = (file: string, changes: Partial<FileRecord> = {}): FileRecord => ({
  file,
  size: 3,
  mtimeMs: 1000.5,
  hash: 'abc',
  status: 'ok',
  chunks: 1,
  characters: 3,
  ...changes,
})
const scanned = (file: string, size = 3, mtimeMs = 1000.5) => ({
  file,
  path: `/docs/${file}`,
  size,
  mtimeMs,
  device: 1,
  inode: 1,
})
const scanOf = (files: Scan['files'], more: Partial<Scan> = {}): Scan => ({
  files,
  others: more.others ?? new Set(),
  unsupported: [],
  unseen: more.unseen ?? [],
})
const plan = (scan: Scan, records: FileRecord[]): SyncPlan =>
  planSync(scan, records, { isAsked: (file) => file.endsWith('.md'), maxFileBytes: 100, limitsMark: 'now' })
const names = ({ read, unchanged, removed }: SyncPlan) => ({
  read: read.map(({ file }) => file),
  unchanged: unchanged.map(({ file }) => file),
  removed,
})

it('reads files that are new or look changed, and skips the rest', () => {
  const records = [record('same.md'), record('longer.md'), record('later.md')]
  const scan = scanOf([scanned('same.md'), scanned('longer.md', 4), scanned('later.md', 3, 2000.5), scanned('new.md')])
  expect(names(plan(scan, records))).toEqual({
    read: ['longer.md', 'later.md', 'new.md'],
    unchanged: ['same.md'],
    removed: [],
  })
  expect(plan(scan, records).read.map(({ known }) => known?.file)).toEqual(['longer.md', 'later.md', undefined])
})

it('does not read an unreadable file again until it changes', () => {
  const broken = record('a.md', { status: 'corrupt', reason: 'Broken.', chunks: 0 })
  expect(names(plan(scanOf([scanned('a.md')]), [broken])).read).toEqual([])
  expect(names(plan(scanOf([scanned('a.md', 3, 2000.5)]), [broken])).read).toEqual(['a.md'])
})

it('reads a file that exceeded the limits of parsing when it or they change', () => {
  const exceeding = (hash: string) => record('a.md', { status: 'too-large', hash, chunks: 0 })
  expect(names(plan(scanOf([scanned('a.md')]), [exceeding('now')])).read).toEqual([])
  expect(names(plan(scanOf([scanned('a.md', 4)]), [exceeding('now')])).read).toEqual(['a.md'])
  expect(names(plan(scanOf([scanned('a.md')]), [exceeding('before')])).read).toEqual(['a.md'])
})

it('reads a file again that was too large and is not any more', () => {
  const large = (size: number) => record('a.md', { status: 'too-large', size, chunks: 0 })
  expect(names(plan(scanOf([scanned('a.md', 101)]), [large(101)])).read).toEqual([])
  expect(names(plan(scanOf([scanned('a.md', 99)]), [large(99)])).read).toEqual(['a.md'])
})

it('reads a file again that could not be opened', () => {
  const locked = record('a.md', { status: 'corrupt', hash: '', chunks: 0 })
  expect(names(plan(scanOf([scanned('a.md')]), [locked])).read).toEqual(['a.md'])
})

it('removes deleted files of every extension, and keeps files of other selections', () => {
  const records = [record('gone.md'), record('gone.txt'), record('there.txt')]
  expect(names(plan(scanOf([], { others: new Set(['there.txt']) }), records))).toEqual({
    read: [],
    unchanged: [],
    removed: ['gone.md', 'gone.txt'],
  })
})

it('removes no file of a folder that could not be read', () => {
  const unseen = [{ file: 'locked/', status: 'corrupt' as const, reason: 'EACCES' }]
  const records = [record('locked/a.md'), record('locked/b.txt'), record('locked.md')]
  expect(names(plan(scanOf([], { unseen }), records))).toEqual({
    read: [],
    unchanged: ['locked/a.md'],
    removed: ['locked.md'],
  })
})

it('removes a file that became a link out of the folder', () => {
  const unseen = [{ file: 'a.md', status: 'unsupported' as const, reason: 'A link.' }]
  expect(names(plan(scanOf([], { unseen }), [record('a.md')])).removed).toEqual(['a.md'])
})

it.each([
  ['long before it was read', 10_000.25, 20_000, 10_000.25],
  ['just before it was read, which may have been in the middle', 10_000.25, 10_040, 0],
  ['in the future', 30_000.25, 20_000, 0],
  ['on a disk that counts in seconds, a second before', 10_000, 11_500, 0],
  ['on a disk that counts in seconds, long before', 10_000, 12_500, 10_000],
])('records the time of a file that changed %s', (_, mtimeMs, readAt, remembered) => {
  expect(timeToRemember(mtimeMs, readAt)).toBe(remembered)
})
