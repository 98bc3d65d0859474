import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { countPdfPages } from './pdf-pages.ts'

const page = '<< /Type /Page /Parent 1 0 R >>'

function objectStream(content: string | Buffer): Buffer {
  const data = typeof content === 'string' ? deflateSync(content) : content
  const head = `5 0 obj\n<< /Type /ObjStm /N 2 /First 10 /Length ${data.length} /Filter /FlateDecode >>\nstream\r\n`
  return Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream\nendobj\n')])
}

describe('countPdfPages', () => {
  it('counts pages, but not page lists', () => {
    const file = `%PDF-1.4\n<< /Type /Pages /Count 3 >>\n${page}\n<</Type/Page/Parent 1 0 R>>\n<< /Type\n/Page>>`
    expect(countPdfPages(Buffer.from(file))).toBe(3)
  })

  it('counts pages inside and outside compressed streams', () => {
    const file = Buffer.concat([
      Buffer.from(`%PDF-1.7\n${page}\n`),
      objectStream(`${page} ${page}`),
      objectStream(page),
    ])
    expect(countPdfPages(file)).toBe(4)
  })

  it('skips a stream that is unreadable or decompresses to far too much', () => {
    const broken = objectStream(Buffer.from('not compressed'))
    const bomb = objectStream(page + ' '.repeat(1_000_000))
    expect(countPdfPages(Buffer.concat([broken, bomb, objectStream(page)]))).toBe(1)
  })

  it('decompresses no more than 300 streams', () => {
    const streams = Array.from({ length: 400 }, () => objectStream(page))
    expect(countPdfPages(Buffer.concat(streams))).toBe(300)
  })

  it('estimates by size when no page is visible', () => {
    expect(countPdfPages(Buffer.alloc(0))).toBe(1)
    expect(countPdfPages(Buffer.alloc(20_000))).toBe(10)
    expect(countPdfPages(Buffer.alloc(5_000_000))).toBe(100)
  })
})
