import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { makeDocx, paragraph } from '../../__fixtures__/make-docx.ts'
import { makePdf } from '../../__fixtures__/make-pdf.ts'
import { writeZip } from '../zip/write-zip.ts'
import { sniff } from './sniff.ts'

const bytes = (text: string, encoding: BufferEncoding = 'latin1'): Uint8Array =>
  new Uint8Array(Buffer.from(text, encoding))
const zip = (...entries: string[]): Uint8Array => writeZip(entries.map((name) => [name, bytes('x')] as const))
const ole = (stream: string): Uint8Array =>
  Buffer.concat([bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), Buffer.from(stream, 'utf16le')])
const tar = (text: string): Uint8Array => bytes(`${'readme.txt'.padEnd(257, '\0')}ustar`.padEnd(512, '\0') + text)
/** Its entries say that they are encrypted. */
const encrypted = (archive: Uint8Array): Uint8Array => {
  const file = Buffer.from(archive)
  file.writeUInt16LE(1, file.indexOf('PK\x01\x02') + 8)
  return file
}
const pdf = makePdf([{ lines: ['Hello'] }])
const docx = makeDocx(paragraph('Hello'))

it.each([
  ['a PDF', pdf, '.pdf', '.pdf'],
  ['a PDF under another name', pdf, '.txt', '.pdf'],
  ['a PDF behind other bytes', Buffer.concat([bytes('mail\r\n'.repeat(100)), pdf]), '.pdf', '.pdf'],
  ['a PDF without its header', pdf.slice(9), '.pdf', '.pdf'],
  ['a Word document', docx, '.docx', '.docx'],
  ['a Word document under another name', docx, '.csv', '.docx'],
  ['a Word document behind other bytes', Buffer.concat([bytes('PK\x03\x04'), docx]), '.docx', '.docx'],
  ['text', bytes('Hello'), '.txt', '.txt'],
  ['text that speaks of PDF', bytes('It begins with %PDF-1.4'), '.md', '.md'],
  ['text with umlauts of long ago', bytes('Gr\xfc\xdfe'), '.csv', '.csv'],
  ['text in the colours of a terminal', bytes('\x1b[31mred\x1b[0m\f'), '.txt', '.txt'],
  ['UTF-16 with its mark', Buffer.concat([bytes('\xff\xfe'), bytes('a,b\n', 'utf16le')]), '.csv', '.csv'],
  ['UTF-16 without its mark', bytes('Hello out there', 'utf16le'), '.txt', '.txt'],
  ['text that begins like a video', bytes('The ftyp box says the brand of a file'), '.md', '.md'],
  ['text that begins like an image', bytes('GIF89a has transparent colours'), '.txt', '.txt'],
  ['HTML in Markdown', bytes('<html><body>Hi'), '.md', '.md'],
])('detects %s', (_, file, ext, expected) => {
  expect(sniff(file, ext)).toBe(expected)
})

it.each([
  ['an empty file', bytes(''), '.pdf', 'no-text', /empty/],
  ['a picture called PDF', bytes('\x89PNG\r\n\x1a\n'), '.pdf', 'unsupported', /PNG image/],
  ['text called PDF', bytes('Hello'), '.pdf', 'corrupt', /no PDF/],
  ['a page of the web called Word', bytes('<!DOCTYPE html><p>404'), '.docx', 'unsupported', /HTML/],
  ['RTF called Word', bytes('{\\rtf1 Hi}'), '.docx', 'unsupported', /RTF/],
  ['text called Word', bytes('Hello'), '.docx', 'corrupt', /no ZIP/],
  ['an old Word document', ole('WordDocument'), '.docx', 'unsupported', /old \.doc.*save it as \.docx/],
  ['an old workbook', ole('Workbook'), '.txt', 'unsupported', /old Office/],
  ['a Word document with a password', ole('EncryptedPackage'), '.docx', 'encrypted', /password/],
  ['a Word document with a password of another program', ole('EncryptionInfo'), '.docx', 'encrypted', /password/],
  ['an archive with a password', encrypted(docx), '.docx', 'encrypted', /password/],
  ['an archive of nothing', zip(), '.docx', 'corrupt', /list of contents/],
  ['a workbook', zip('[Content_Types].xml', 'xl/workbook.xml'), '.docx', 'unsupported', /Excel/],
  ['an OpenDocument file', zip('mimetype', 'content.xml'), '.docx', 'unsupported', /OpenDocument/],
  ['an archive', zip('readme.txt'), '.docx', 'unsupported', /ZIP archive/],
  ['an archive called text', zip('readme.txt'), '.txt', 'unsupported', /ZIP archive/],
  ['half a Word document', docx.slice(0, 200), '.docx', 'corrupt', /cut off/],
  ['a Word document without its main part', zip('word/styles.xml'), '.docx', 'corrupt', /main part/],
  ['a video called text', bytes('\0\0\0\x18ftypmp42'), '.txt', 'unsupported', /video/],
  ['an image called text', bytes('GIF89a\x01\0\x01\0\x80'), '.txt', 'unsupported', /GIF/],
  ['an archive of texts called text', tar('Hello '.repeat(20_000)), '.txt', 'unsupported', /TAR/],
  ['a program called text', bytes('\x7fELF\x02\x01\x01\0\0\0\0'), '.txt', 'unsupported', /program/],
  ['bytes called text', bytes('\x01\x02\0\x04\x05abc\0\0\x0e\x0f'), '.csv', 'unsupported', /binary/],
])('refuses %s', (_, file, ext, status, reason) => {
  expect(() => sniff(file, ext)).toThrowError(
    expect.objectContaining({ status, message: expect.stringMatching(reason) }),
  )
})

it('refuses a document that would exhaust the memory, without unpacking it', () => {
  const cases = [
    bomb({ name: 'word/document.xml', size: 65 * 1024 * 1024, packed: 2_000_000 }),
    bomb({ name: 'word/document.xml', size: 17 * 1024 * 1024, packed: 17_000 }),
    bomb({ name: 'word/media/image1.png', size: 1025 * 1024 * 1024, packed: 10 * 1024 * 1024 }),
  ]
  for (const file of cases)
    expect(() => sniff(file, '.docx')).toThrowError(expect.objectContaining({ status: 'too-large' }))
  expect(sniff(bomb({ name: 'docProps/app.xml', size: 17 * 1024 * 1024, packed: 17_000 }), '.docx')).toBe('.docx')
})

it('refuses a document of 10,000 parts', () => {
  const parts = Array.from({ length: 9_999 }, (_, number) => [`word/media/${number}.png`, bytes('')] as const)
  const file = writeZip([['word/document.xml', bytes('<x/>')], ...parts])
  expect(() => sniff(file, '.docx')).toThrowError(expect.objectContaining({ status: 'too-large' }))
})

/** A document whose central directory declares its unpacked size. */
function bomb({ name, size, packed }: { name: string; size: number; packed: number }): Uint8Array {
  const file = Buffer.from(
    writeZip([
      [name, deflateRawSync(Buffer.alloc(10))],
      ['word/document.xml', bytes('<x/>')],
    ]),
  )
  const entry = file.indexOf('PK\x01\x02')
  file.writeUInt32LE(packed, entry + 20)
  file.writeUInt32LE(size, entry + 24)
  return file
}
