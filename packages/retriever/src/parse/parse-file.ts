import { hash } from 'node:crypto'
import { createChunker } from '../chunk/create-chunker.ts'
import { extOf } from '../data/ext-of.ts'
import { packBytes } from '../data/pack-chunks.ts'
import type { Parsed, Parser, Piece } from '../data/piece.ts'
import { isMissingFile, isUnreadableFile } from '../data/unreadable-file.ts'
import { createTextJudge } from '../text/garbled-text.ts'
import type { ParseEnd, ParsePart, ParseRequest } from './pieces/worker-messages.ts'
import { readBytes } from './read-bytes.ts'
import { sniff } from './sniff/sniff.ts'

export type ParseFileOptions = {
  loadParser(ext: string): Promise<Parser>
  /** Receives a part of the result; settles when the next one may be sent. */
  send(part: ParsePart): Promise<void>
  /** Receives the size of the file once it is known. */
  onBytes?(bytes: number): void
  signal: AbortSignal
}

/** Reads a file: its passages, or its text. Every problem of the file is an outcome, not an error. */
export async function parseFile(request: ParseRequest, options: ParseFileOptions): Promise<ParseEnd> {
  let contentHash = ''
  try {
    options.signal.throwIfAborted()
    const found = request.do === 'chunk' ? request.found : undefined
    const bytes = readBytes(request.path, request.maxBytes, { found })
    if (bytes === 'replaced') return { outcome: 'replaced', hash: '' }
    options.onBytes?.(bytes.length)
    contentHash = hash('sha256', bytes).slice(0, 32)
    if (request.do === 'chunk' && request.unlessHash === contentHash) return { outcome: 'unchanged', hash: contentHash }
    const parse = await options.loadParser(sniff(bytes, extOf(request.file)))
    const pieces = parse(bytes, options.signal)
    const sink = request.do === 'chunk' ? chunkSink(request.file, options) : textSink(options)
    return { outcome: 'read', hash: contentHash, ...(await pour(pieces, sink)) }
  } catch (error) {
    return { outcome: 'unreadable', hash: contentHash, ...whatIsWrong(error) }
  }
}

/** Receives the pieces of a file; `end` returns the pieces that have not been sent. */
type Sink = { add(piece: Piece): Promise<void>; end(): ParsePart }

async function pour(
  pieces: AsyncGenerator<Piece, Parsed>,
  sink: Sink,
): Promise<{ parsed: Parsed; characters: number; part: ParsePart }> {
  let characters = 0
  const judge = createTextJudge()
  try {
    for (;;) {
      const next = await pieces.next()
      if (next.done === true) return { parsed: judged(next.value, judge.problem()), characters, part: sink.end() }
      characters += next.value.text.length
      judge.add(next.value.text)
      await sink.add(next.value)
    }
  } finally {
    await pieces.return({ status: 'ok' })
  }
}

/** The parser's own status has precedence. */
function judged(parsed: Parsed, problem: string | undefined): Parsed {
  return problem === undefined || parsed.status !== 'ok'
    ? parsed
    : { ...parsed, status: 'low-quality', reason: problem }
}

/** The number of characters of a part: small enough that the main thread processes it in some milliseconds. */
const partSize = 100_000

function chunkSink(file: string, { send }: ParseFileOptions): Sink {
  const chunker = createChunker(file)
  let chunks: ReturnType<typeof chunker.end> = []
  let size = 0
  return {
    async add(piece) {
      for (const chunk of chunker.add(piece)) {
        chunks.push(chunk)
        // The approximate size of a chunk besides its words.
        size += chunk.quote.length + 500
        if (size < partSize) continue
        const part = { packed: packBytes(chunks), count: chunks.length }
        chunks = []
        size = 0
        await send(part)
      }
    },
    end() {
      for (const chunk of chunker.end()) chunks.push(chunk)
      return { packed: packBytes(chunks), count: chunks.length }
    },
  }
}

function textSink({ send }: ParseFileOptions): Sink {
  let offset = 0
  return {
    async add({ text, blocks, page }) {
      const start = offset
      offset += text.length
      await send({
        text,
        ...(page !== undefined && { page }),
        blocks: blocks.map((block) => ({
          ...block,
          start: block.start + start,
          end: block.end + start,
          ...(page !== undefined && { page }),
        })),
      })
    },
    end: () => ({ text: '', blocks: [] }),
  }
}

function whatIsWrong(error: unknown): Pick<ParseEnd & { outcome: 'unreadable' }, 'status' | 'reason' | 'isMissing'> {
  if (!isUnreadableFile(error)) {
    return { status: 'corrupt', reason: `Its parser failed: ${error instanceof Error ? error.message : error}` }
  }
  const { status, message, cause } = error
  return { status, reason: message, ...(isMissingFile(cause) && { isMissing: true }) }
}
