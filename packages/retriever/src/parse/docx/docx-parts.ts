import { unreadableFile } from '../../data/unreadable-file.ts'
import { readEntry } from '../zip/read-entry.ts'
import { zipEntries } from '../zip/zip-entries.ts'
import { withUsualPrefixes } from './usual-prefixes.ts'

/** The text parts of a Word document by name: no pictures, fonts or embedded files. */
export type DocxParts = Map<string, Uint8Array>

export function docxParts(bytes: Uint8Array): { parts: DocxParts; pictures: number } {
  const entries = zipEntries(bytes)
  if (entries === undefined) throw unreadableFile('corrupt', 'It is damaged or cut off: it is not a whole ZIP archive.')
  const parts: DocxParts = new Map()
  let pictures = 0
  for (const entry of entries) {
    if (/^word\/media\/./.test(entry.name)) pictures += 1
    const name = entry.name.replace(/^\//, '')
    if (holdsText(name)) parts.set(name, readEntry(bytes, entry))
  }
  return { parts, pictures }
}

/** Whether a part with this name is unpacked. */
export function holdsText(name: string): boolean {
  return /\.(xml|rels)$/i.test(name) && !withoutText.test(name)
}

const withoutText =
  /^(customXml|word\/(embeddings|fonts|media|theme|glossary))\/|^(word\/(fontTable|settings|webSettings)|docProps\/(app|custom))\.xml/
const decoder = new TextDecoder()

/** The XML of a part, with the usual prefixes; empty when there is none. */
export function partText(parts: DocxParts, name: string): string {
  const part = parts.get(name)
  if (part === undefined) return ''
  const isWide = (part[0] === 0xff && part[1] === 0xfe) || (part[0] === 0xfe && part[1] === 0xff)
  const wide = part[0] === 0xff ? 'utf-16le' : 'utf-16be'
  return withUsualPrefixes(isWide ? new TextDecoder(wide).decode(part) : decoder.decode(part))
}
