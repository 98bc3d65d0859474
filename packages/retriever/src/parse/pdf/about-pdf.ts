import { documentTitle } from '../pieces/document-title.ts'
import type { PdfDocument } from './open-pdf.ts'

/** What a PDF says of itself. */
export type AboutPdf = {
  title?: string
  /** Its pages are made by Adobe's programs when it is opened, out of a form that nobody else reads. */
  isXfa: boolean
}

export async function aboutPdf(document: PdfDocument): Promise<AboutPdf> {
  const about = await document.getMetadata().catch(() => undefined)
  // PDF.js types it as `Object`; it is a plain one.
  const info = about?.info as { Title?: unknown; IsXFAPresent?: unknown } | undefined
  const title = documentTitle(info?.Title)
  return {
    ...(title.title === undefined ? documentTitle(about?.metadata?.get('dc:title')) : title),
    isXfa: info?.IsXFAPresent === true,
  }
}
