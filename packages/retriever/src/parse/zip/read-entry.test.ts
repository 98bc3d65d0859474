import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readEntry } from './read-entry.ts'
import { writeZip } from './write-zip.ts'
import { type ZipEntry, zipEntries } from './zip-entries.ts'

const content = Buffer.from('hello '.repeat(100))

/** An archive of one deflated file. */
function archive(): { bytes: Buffer; entry: ZipEntry } {
  const bytes = writeZip([['a/b.xml', deflateRawSync(content)]])
  const directory = bytes.indexOf('PK\x01\x02')
  bytes.writeUInt16LE(8, directory + 10)
  bytes.writeUInt32LE(content.length, directory + 24)
  const [entry] = zipEntries(bytes) ?? []
  if (entry === undefined) throw new Error('The archive has an entry.')
  return { bytes, entry }
}

it('unpacks to the packed bytes', () => {
  const { bytes, entry } = archive()
  expect(entry).toMatchObject({ name: 'a/b.xml', size: content.length, encrypted: false })
  expect(Buffer.from(readEntry(bytes, entry)).equals(content)).toBe(true)
})

it('never unpacks more than the central directory declares', () => {
  const { bytes, entry } = archive()
  expect(() => readEntry(bytes, { ...entry, size: 10 })).toThrowError(expect.objectContaining({ status: 'corrupt' }))
})

it.each([
  ['points outside the file', { offset: 1_000_000 }],
  ['points to no entry', { offset: 1 }],
  ['is longer than the file', { compressedSize: 1_000_000 }],
  ['is packed by an unknown method', { method: 99 }],
])('reports an entry that %s', (_, change) => {
  const { bytes, entry } = archive()
  expect(() => readEntry(bytes, { ...entry, ...change })).toThrowError(expect.objectContaining({ status: 'corrupt' }))
})

it('finds no entries in bytes that are not an archive', () => {
  expect(zipEntries(Buffer.from('hello'))).toBeUndefined()
  expect(zipEntries(Buffer.alloc(100_000))).toBeUndefined()
})

it('finds no entries where a name is longer than the file', () => {
  const { bytes } = archive()
  bytes.writeUInt16LE(60_000, bytes.indexOf('PK\x01\x02') + 28)
  expect(zipEntries(bytes)).toBeUndefined()
})
