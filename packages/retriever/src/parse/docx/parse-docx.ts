import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Parsed, Piece } from '../../data/piece.ts'
import { unreadableFile } from '../../data/unreadable-file.ts'
import { BlockWriter } from '../pieces/block-writer.ts'
import { documentTitle } from '../pieces/document-title.ts'
import { writeZip } from '../zip/write-zip.ts'
import { decodeXml } from './decode-xml.ts'
import { documentStyles, headingStyles } from './document-styles.ts'
import { type DocxParts, docxParts, partText } from './docx-parts.ts'
import { writeHtml } from './html-blocks.ts'
import { writeLabels } from './list-labels.ts'
import { marginText } from './margin-text.ts'
import { plainParagraphs } from './plain-paragraphs.ts'
import { repairBody } from './repair-body.ts'

/** Parses a Word document: its body, then notes and comments, then headers and footers. */
export async function* parseDocx(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Piece, Parsed> {
  signal.throwIfAborted()
  const { parts, pictures } = docxParts(bytes)
  const writer = new BlockWriter()
  const { hasDocuments, ...status } = await writeBody(parts, writer, signal)
  for (const text of marginText(parts)) writer.add('text', text)
  if (writer.isEmpty) throw unreadableFile('no-text', hasDocuments ? documentInside : withoutText(pictures))
  yield writer.piece()
  const [, title] = /<dc:title(?:\s[^<>]*)?>([^<]*)</.exec(partText(parts, 'docProps/core.xml')) ?? []
  return {
    ...status,
    ...(hasDocuments && status.status === 'ok' && { status: 'low-quality', reason: documentInside }),
    ...documentTitle(title === undefined ? undefined : decodeXml(title)),
  }
}

/** Converters from HTML write one; Word makes it text when it saves. */
const documentInside = 'It contains another document, which is not read: open it in Word and save it.'

function withoutText(pictures: number): string {
  return pictures > 0 ? 'It has pictures only, and no text. Run OCR over them.' : 'It has no text.'
}

async function writeBody(
  parts: DocxParts,
  writer: BlockWriter,
  signal: AbortSignal,
): Promise<Pick<Parsed, 'status' | 'reason'> & { hasDocuments: boolean }> {
  const body = repairParts(parts)
  const hasDocuments = /<w:altChunk[\s/>]/.test(body)
  await nextTurn()
  signal.throwIfAborted()
  try {
    const html = await toHtml(parts)
    const { parseDocument } = await import('htmlparser2')
    signal.throwIfAborted()
    writeHtml(parseDocument(html).children, writer)
    return { status: 'ok', hasDocuments }
  } catch (cause) {
    signal.throwIfAborted()
    // mammoth throws a TypeError for odd lists and fields, and an error of its own for invalid XML.
    const texts = cause instanceof TypeError ? plainParagraphs(body) : []
    for (const text of texts) writer.add('text', text)
    if (writer.isEmpty) throw unreadableFile('corrupt', 'It is damaged: its text could not be read.', cause)
    const reason = 'Its structure is damaged: only its words were read, without notes.'
    return { status: 'low-quality', reason, hasDocuments }
  }
}

/** Returns the XML of the body. */
function repairParts(parts: DocxParts): string {
  let body = ''
  const styles = documentStyles(partText(parts, 'word/styles.xml'))
  for (const name of parts.keys()) {
    if (!/^word\/(document|footnotes|endnotes|comments)[^/]*\.xml$/i.test(name)) continue
    const isBody = /^word\/document/i.test(name)
    const repaired = repairBody(partText(parts, name), styles)
    const written = isBody ? writeLabels(repaired, parts, styles) : repaired
    parts.set(name, Buffer.from(written))
    if (isBody) body += written
  }
  return body
}

async function toHtml(parts: DocxParts): Promise<string> {
  const { default: mammoth } = await import('mammoth')
  const { value } = await mammoth.convertToHtml(
    // A new archive contains nothing unneeded, and only true sizes.
    { buffer: writeZip(parts) },
    {
      styleMap: [...styleMap, ...headingStyles(partText(parts, 'word/styles.xml'))],
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      externalFileAccess: false,
    },
  )
  return value
}

const styleMap = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  'comment-reference => sup',
]
