import { expect, it } from 'vitest'
import { syncReport } from './sync-report.ts'

const nothing = { records: [], indexed: 0, removed: 0, mode: 'text' as const, unsupported: [], supportedExts: ['.md'] }

it('lists files that could not be examined as unreadable', () => {
  const locked = { file: 'locked/', status: 'corrupt' as const, reason: 'The system says: EACCES.' }
  const { skipped, warnings } = syncReport({ ...nothing, unseen: [locked] })
  expect({ skipped, warnings }).toEqual({ skipped: [locked], warnings: [] })
})

it('counts files that changed during the read, without their names', () => {
  const record = { file: 'a.md', size: 1, mtimeMs: 1, hash: '', chunks: 0, characters: 0 }
  const records = [{ ...record, status: 'pending' as const, reason: 'It was written to.' }]
  expect(syncReport({ ...nothing, records, unseen: [] })).toMatchObject({ pending: 1, skipped: [], warnings: [] })
})

it('explains what to do with files of other types', () => {
  const { skipped } = syncReport({ ...nothing, unseen: [], unsupported: ['a.doc', 'b.xyz', 'c'] })
  expect(skipped.map(({ file, reason }) => [file, reason])).toEqual([
    ['a.doc', expect.stringContaining('save it as .docx')],
    ['b.xyz', 'Files of the type .xyz cannot be read. These can: .md.'],
    ['c', expect.stringContaining('without an extension')],
  ])
})
