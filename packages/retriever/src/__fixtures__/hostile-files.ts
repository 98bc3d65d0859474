import { deflateRawSync, deflateSync } from 'node:zlib'
import { writeZip } from '../parse/zip/write-zip.ts'
import { names } from './make-docx.ts'
import { write } from './make-pdf.ts'

/** A small file, by its name, that would keep a parser busy for minutes or take gigabytes. */
export const hostileFiles: Readonly<Record<string, () => Uint8Array>> = {
  // 8 GB of zeros that were deflated three times.
  'nested-filters.pdf': () => pdfOf({ content: nestedZeros(), filters: 3 }),
  'nested-states.pdf': () => pdfOf({ content: deflateSync(Buffer.from('q '.repeat(60_000) + words)), filters: 1 }),
  'forms.pdf': () => formsPdf({ levels: 24, calls: 10 }),
  'long-text.pdf': () => pdfOf({ content: deflateSync(repeated(`${words}\n`, 100_000_000)), filters: 1 }),
  'equations.docx': () => docxOf('<m:oMath>', 4_500_000),
}

const words = 'BT /F1 12 Tf 72 720 Td (Some words of a page) Tj ET'

/** A PDF of one page with this content, packed with the given number of FlateDecode filters. */
function pdfOf({ content, filters = 0 }: { content: Uint8Array; filters?: number }): Uint8Array {
  const entries = filters === 0 ? '' : `/Filter [${'/FlateDecode '.repeat(filters)}] `
  return pagePdf(stream(content, entries), [])
}

/** Each form draws the next one several times. */
function formsPdf({ levels, calls }: { levels: number; calls: number }): Uint8Array {
  const forms = Array.from({ length: levels }, (_, level) => {
    const isLast = level === levels - 1
    const content = isLast ? words : '/X Do '.repeat(calls)
    const own = isLast ? '' : `/Resources << /XObject << /X ${firstForm + level + 1} 0 R >> >> `
    return stream(Buffer.from(content), `/Type /XObject /Subtype /Form /BBox [0 0 612 792] ${own}`)
  })
  return pagePdf(stream(Buffer.from('/X Do')), forms)
}

const firstForm = 5

function pagePdf(content: string, forms: readonly string[]): Uint8Array {
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
  const resources = `/Resources << /Font << /F1 ${font} >> /XObject << /X ${firstForm} 0 R >> >>`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ${resources} >>`,
    content,
    ...forms,
  ]
  return write(objects, '/Root 1 0 R ')
}

function stream(content: Uint8Array, entries = ''): string {
  return `<< ${entries}/Length ${content.length} >>\nstream\n${Buffer.from(content).toString('latin1')}\nendstream`
}

/** Deflate packs a thousand zeros into a byte: some million of those bytes are made by hand, and packed twice. */
function nestedZeros(): Uint8Array {
  return deflateSync(deflateSync(deflatedZeros()))
}

/** The result of `deflateSync` for 8 GB of zeros, without allocating them: a block of 129 pairs, repeated. */
function deflatedZeros(): Uint8Array {
  const block = deflateRawSync(Buffer.alloc(8_000_000), { finishFlush: 2 })
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: 1_000 }, () => block)])
}

function docxOf(tag: string, length: number): Uint8Array {
  const body = `<w:document ${names}><w:body><w:p>${tag.repeat(length / tag.length)}</w:p></w:body></w:document>`
  const parts = new Map([
    ['[Content_Types].xml', Buffer.from('<Types/>')],
    ['word/document.xml', Buffer.from(body)],
  ])
  const archive = writeZip([...parts].map(([name, content]) => [name, deflateRawSync(content)] as const))
  // The list of contents alone says how a part is packed.
  let at = 0
  for (const content of parts.values()) {
    at = archive.indexOf('PK\x01\x02', at + 1)
    archive.writeUInt16LE(8, at + 10)
    archive.writeUInt32LE(content.length, at + 24)
  }
  return archive
}

function repeated(text: string, length: number): Uint8Array {
  return Buffer.alloc(length, text)
}
