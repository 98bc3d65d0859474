import type { Parser } from '../data/piece.ts'
import { unreadableFile } from '../data/unreadable-file.ts'

/** Each parser loads its library with the first file of its type. */
const parsers: Readonly<Record<string, () => Promise<Parser>>> = {
  '.csv': async () => (await import('./csv/parse-csv.ts')).parseCsv,
  '.docx': async () => (await import('./docx/parse-docx.ts')).parseDocx,
  '.md': async () => (await import('./markdown/parse-markdown.ts')).parseMarkdown,
  '.mdx': async () => (await import('./markdown/parse-markdown.ts')).parseMdx,
  '.pdf': async () => (await import('./pdf/parse-pdf.ts')).parsePdf,
  '.txt': async () => (await import('./text/parse-text.ts')).parseText,
}

/** The extensions of files that can be read: lower case, with the dot. */
export const supportedExts: readonly string[] = Object.keys(parsers)

/**
 * The parser for an extension.
 * @throws UnreadableFile for a type without a parser
 */
export async function loadParser(ext: string): Promise<Parser> {
  const known = loaded.get(ext)
  if (known !== undefined) return known
  const load = Object.hasOwn(parsers, ext) ? parsers[ext] : undefined
  if (load === undefined) {
    const kind = ext === '' ? 'A file without an extension' : `A ${ext} file`
    throw unreadableFile('unsupported', `${kind} cannot be read; these can: ${supportedExts.join(', ')}.`)
  }
  const parser = await load()
  loaded.set(ext, parser)
  return parser
}

/** Another `import` of a loaded module takes a hundred times longer than this cache. */
const loaded = new Map<string, Parser>()
