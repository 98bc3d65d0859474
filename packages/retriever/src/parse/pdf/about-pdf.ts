import { documentTitle } from '../pieces/document-title.ts'
import type { PdfDocument } from './open-pdf.ts'

/** The metadata of a PDF. */
export type AboutPdf = {
  title?: string
  /** Adobe's programs create its pages on opening, from a form that other programs do not read (XFA). */
  isXfa: boolean
}

export async function aboutPdf(document: PdfDocument): Promise<AboutPdf> {
  const about = await document.getMetadata().catch(() => undefined)
  // PDF.js types it as `Object`; it is a plain object.
  const info = about?.info as { Title?: unknown; IsXFAPresent?: unknown } | undefined
  const title = documentTitle(info?.Title)
  return {
    ...(title.title === undefined ? documentTitle(about?.metadata?.get('dc:title')) : title),
    isXfa: info?.IsXFAPresent === true,
  }
}
