import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { getDocumentProxy } from 'unpdf'
import { unreadableFile } from '../../data/unreadable-file.ts'

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>

export type OpenPdf = {
  document: PdfDocument
  /** Character tables that its fonts need and that are not installed. */
  missingCMaps: ReadonlySet<string>
  close(): Promise<void>
}

/** Opens a PDF. It transfers the bytes, which are empty afterwards: they are in memory only once. */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  const { getResolvedPDFJS } = await import('unpdf')
  const { getDocument } = await getResolvedPDFJS()
  const missingCMaps = new Set<string>()
  const loading = getDocument({
    // A Buffer is refused.
    data: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    verbosity: 0,
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    enableXfa: false,
    // Nothing is painted: an image above the limit is dropped before it is decoded.
    maxImageSize: 0,
    BinaryDataFactory: installedData(missingCMaps),
  })
  try {
    return { document: await loading.promise, missingCMaps, close: () => loading.destroy() }
  } catch (error) {
    await loading.destroy()
    throw openingError(error)
  }
}

/**
 * Loads the data that PDF.js requests by name. pdfjs-dist contains the tables for old Chinese, Japanese and Korean
 * encodings.
 */
function installedData(missing: Set<string>): object {
  return class {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      // Fonts and decoders are needed for painting only.
      if (kind !== 'cMapUrl') throw new Error(`${filename} is not needed for text.`)
      const folder = cMapFolder()
      const data = folder === undefined ? undefined : await readFile(join(folder, filename)).catch(() => undefined)
      if (data !== undefined) return new Uint8Array(data)
      missing.add(filename)
      throw new Error(`${filename} is not installed.`)
    }
  }
}

/** An optional peer. */
const tables = 'pdfjs-dist'

/** Installed beside this package, or in the user's project. */
function cMapFolder(): string | undefined {
  for (const place of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href])
    try {
      return join(createRequire(place).resolve(`${tables}/package.json`), '..', 'cmaps')
    } catch {}
  return undefined
}

function openingError(error: unknown): Error {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  if (name === 'PasswordException')
    return unreadableFile('encrypted', 'It is protected by a password: save it without one.', error)
  if (/encrypt/i.test(message))
    return unreadableFile('encrypted', 'It is encrypted in a way that we cannot read: save it without.', error)
  return unreadableFile('corrupt', 'It is damaged: no PDF reader could open it.', error)
}
