import { unreadableFile } from '../../data/unreadable-file.ts'
import { sniffBinary } from './sniff-binary.ts'
import { sniffOle } from './sniff-ole.ts'
import { sniffZip } from './sniff-zip.ts'

/**
 * The extension whose parser fits a file's bytes: the content has precedence over the name.
 *
 * @param ext - in lower case, with its dot
 * @throws UnreadableFile for a type without a parser
 */
export function sniff(bytes: Uint8Array, ext: string): string {
  if (bytes.length === 0) throw unreadableFile('no-text', 'It is empty: it has no bytes.')
  if (isPdf(bytes, ext)) return '.pdf'
  if (startsWith(bytes, oleMagic)) throw sniffOle(bytes)
  if (zipMagics.some((magic) => startsWith(bytes, magic))) return sniffZip(bytes, ext)
  const kind = sniffBinary(bytes, textExts.has(ext))
  if (textExts.has(ext) && kind === undefined) return ext
  if (kind !== undefined) throw unreadableFile('unsupported', `It is ${kind}, whatever its name says.`)
  const wrong = wrongFormat[ext]
  if (wrong !== undefined) throw unreadableFile('corrupt', wrong)
  // The parser lookup reports it.
  return ext
}

const textExts: ReadonlySet<string> = new Set(['.txt', '.md', '.mdx', '.csv'])
const oleMagic = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
const zipMagics = ['PK\x03\x04', 'PK\x05\x06']
const wrongFormat: Readonly<Record<string, string>> = {
  '.pdf': 'It is damaged, or no PDF: it has no PDF header.',
  '.docx': 'It is damaged, or no Word document: it is no ZIP archive, as a .docx has to be.',
}

/** Readers accept a header within the first 1,024 bytes, and a file without one that has the parts of a PDF. */
function isPdf(bytes: Uint8Array, ext: string): boolean {
  if (startsWith(bytes, '%PDF-')) return true
  if (ext !== '.pdf') return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.subarray(0, 1029).includes('%PDF-') || (buffer.includes('endobj') && buffer.includes('startxref'))
}

function startsWith(bytes: Uint8Array, magic: string): boolean {
  return bytes.length >= magic.length && Buffer.from(bytes.subarray(0, magic.length)).toString('latin1') === magic
}
