import { expect, it } from 'vitest'
import { progressLine, reportLines } from './sync-lines.ts'

const report = {
  indexed: 0,
  unchanged: 3,
  removed: 0,
  pending: 0,
  chunks: 9,
  skipped: [],
  warnings: [],
  mode: 'text' as const,
}
const note = (file: string) => ({ file, status: 'encrypted' as const, reason: 'It needs a password.' })

it('has no lines for a sync without changes', () => {
  expect(reportLines(report)).toEqual([])
})

it('reports the changes and the kind of search', () => {
  expect(reportLines({ ...report, indexed: 2, removed: 1 })).toEqual([
    'Files: 2 indexed, 3 unchanged, 1 removed; 9 passages are searchable, by words.',
  ])
  expect(reportLines({ ...report, indexed: 1, mode: 'hybrid' })[0]).toContain('by words and meaning')
  expect(reportLines({ ...report, indexed: 1, chunks: 1 })[0]).toContain('; 1 passage is searchable,')
})

it('reports how many files the next sync reads', () => {
  expect(reportLines({ ...report, pending: 1 })).toEqual([
    '1 file is pending: it changed while it was read. The next sync reads it.',
  ])
  expect(reportLines({ ...report, pending: 2 })).toEqual([
    '2 files are pending: they changed while they were read. The next sync reads them.',
  ])
})

it('lists unreadable files with the reason, and counts further ones', () => {
  expect(reportLines({ ...report, skipped: [note('a.pdf')] })).toEqual([
    'a.pdf cannot be read (encrypted): It needs a password.',
  ])
  const many = reportLines({ ...report, skipped: Array.from({ length: 25 }, (_, index) => note(`${index}.pdf`)) })
  expect(many).toHaveLength(11)
  expect(many.at(-1)).toContain('15 more files')
})

it('lists an unreadable folder without a status', () => {
  const locked = { file: 'locked/', status: 'corrupt' as const, reason: 'The system says: EACCES.' }
  expect(reportLines({ ...report, skipped: [locked] })).toEqual(['locked/ cannot be read: The system says: EACCES.'])
})

it('lists files that are hard to read', () => {
  const garbled = { file: 'b.pdf', status: 'low-quality' as const, reason: 'Page 2 is garbled.' }
  expect(reportLines({ ...report, warnings: [garbled] })).toEqual([
    'b.pdf is hard to read (low-quality): Page 2 is garbled.',
  ])
})

it('reports the progress of a sync, with its speed', () => {
  const progress = { files: 10_000, filesDone: 1_200, bytes: 32e6, bytesDone: 4e6, chunks: 4_100, elapsedMs: 500 }
  expect(progressLine(progress)).toBe('1,200 of 10,000 files, 4,100 passages, 8.0 MB/s')
  expect(progressLine({ ...progress, elapsedMs: 0 })).toContain('0.0 MB/s')
})
