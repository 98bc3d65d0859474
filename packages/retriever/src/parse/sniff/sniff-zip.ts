import { unreadableFile } from '../../data/unreadable-file.ts'
import { holdsText } from '../docx/docx-parts.ts'
import { type ZipEntry, zipEntries } from '../zip/zip-entries.ts'

/** `.docx` for a Word document that is safe to unpack. */
export function sniffZip(bytes: Uint8Array, ext: string): '.docx' {
  const entries = zipEntries(bytes)
  if (entries === undefined || entries.length === 0)
    throw unreadableFile(
      ext === '.docx' ? 'corrupt' : 'unsupported',
      'It is a damaged or cut off archive: its list of contents is missing.',
    )
  if (entries.some(({ encrypted }) => encrypted))
    throw unreadableFile('encrypted', 'It is an archive protected by a password.')
  const names = new Set(entries.map(({ name }) => name))
  if (!entries.some(({ name }) => name.startsWith('word/')))
    throw unreadableFile('unsupported', `It is ${nameArchive(entries)}, not a Word document.`)
  if (!names.has('[Content_Types].xml') && !names.has('_rels/.rels') && !names.has('word/document.xml'))
    throw unreadableFile('corrupt', 'It is damaged: its main part is missing.')
  refuseBomb(entries)
  return '.docx'
}

const megabyte = 1024 * 1024
/** XML takes about 20 times its size in memory while it is read. */
const maxXmlBytes = 64 * megabyte
const maxBytes = 1024 * megabyte
/** Word itself writes some ten, and one more for each picture. */
const maxEntries = 8_192
/** The maximum of deflate is 1,032; real documents stay below 100. */
const maxRatio = 250

function refuseBomb(entries: readonly ZipEntry[]): void {
  let total = 0
  let xml = 0
  for (const { name, size, compressedSize } of entries) {
    total += size
    if (!holdsText(name)) continue
    xml += size
    if (size > megabyte && size > compressedSize * maxRatio)
      throw tooLarge(`its part "${name}" would grow ${Math.round(size / Math.max(compressedSize, 1))} times`)
  }
  if (entries.length > maxEntries) throw tooLarge(`it holds ${entries.length} parts`)
  if (xml > maxXmlBytes) throw tooLarge(`its text would take ${Math.round(xml / megabyte)} MB`)
  if (total > maxBytes) throw tooLarge(`it would take ${Math.round(total / megabyte)} MB`)
}

function tooLarge(why: string): Error {
  return unreadableFile('too-large', `It is too large to unpack: ${why}.`)
}

function nameArchive(entries: readonly ZipEntry[]): string {
  const has = (prefix: string): boolean => entries.some(({ name }) => name.startsWith(prefix))
  if (has('xl/')) return 'an Excel workbook'
  if (has('ppt/')) return 'a PowerPoint presentation'
  if (has('content.xml') && has('mimetype')) return 'an OpenDocument file'
  if (has('META-INF/container.xml')) return 'an e-book'
  return 'a ZIP archive'
}
