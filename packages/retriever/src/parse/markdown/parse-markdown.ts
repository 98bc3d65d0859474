import type { Parsed, Piece } from '../../data/piece.ts'
import { decodeText } from '../../text/decode-text.ts'
import { yieldOrAbort } from '../../util/yield-or-abort.ts'
import { createPieceWriter } from '../pieces/piece-writer.ts'
import { noText } from '../text/parse-text.ts'
import { readFrontMatter } from './front-matter.ts'
import { markdownBlocks } from './markdown-blocks.ts'
import { readMetadata } from './mdx-esm.ts'

const pieceSize = 500_000
/** The number of characters of source that are read between pauses. */
const stride = 100_000

/** Markdown: text near its source, without front matter, tags and comments. A title in the front matter is a heading. */
export async function* parseMarkdown(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Piece, Parsed> {
  return yield* parse(bytes, signal, false)
}

/** MDX: like Markdown, without imports, exports and components; their `title`, `label` and similar texts are kept. */
export async function* parseMdx(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Piece, Parsed> {
  return yield* parse(bytes, signal, true)
}

async function* parse(bytes: Uint8Array, signal: AbortSignal, isMdx: boolean): AsyncGenerator<Piece, Parsed> {
  let source = ''
  for await (const part of decodeText(bytes, signal)) source += part
  const matter = readFrontMatter(source)
  const exported = isMdx ? readMetadata(source) : { notes: [] }
  const writer = createPieceWriter()
  const ownTitle = matter.title ?? exported.title
  let title = ownTitle
  let rested = 0
  let isFirst = true

  for (const { end, isApart, ...block } of markdownBlocks(source, matter.end, isMdx)) {
    const said = block.kind === 'heading' && block.level === 1 ? block.text.slice(2) : undefined
    if (isFirst && (said === undefined || said !== ownTitle)) writeMatter()
    writer.write(block, isApart ? '\n\n' : '\n')
    if (isFirst && said !== undefined && said === ownTitle) writeNotes()
    isFirst = false
    title ??= said
    if (writer.length > pieceSize) yield writer.take()
    if (end - rested > stride) {
      rested = end
      await yieldOrAbort(signal)
    }
  }
  if (isFirst) writeMatter()
  if (!writer.hasText) throw noText(bytes)
  if (writer.length > 0) yield writer.take()
  return { status: 'ok', ...(title !== undefined && { title }) }

  function writeMatter(): void {
    if (ownTitle !== undefined) writer.write({ kind: 'heading', text: ownTitle, level: 1 })
    writeNotes()
  }

  function writeNotes(): void {
    for (const note of new Set([...matter.notes, ...exported.notes])) writer.write({ kind: 'text', text: note })
  }
}
