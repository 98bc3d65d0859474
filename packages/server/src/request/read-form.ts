import type { Readable } from 'node:stream'
import busboy from 'busboy'
import { ProblemError } from '../answer/problem.ts'
import type { Capacity } from '../capacity/capacity.ts'
import type { Hold } from '../capacity/held-bytes.ts'
import type { Limits } from '../limits.ts'
import type { ServerContext } from '../util/server-env.ts'
import { bodyOf } from './body-of.ts'
import {
  bodyStalled,
  fieldTooLarge,
  filesNotServed,
  noBoundary,
  noFile,
  noRoom,
  noText,
  notUTF8,
  otherFileField,
  payloadTooLarge,
  sentTwice,
  tooManyChunks,
  tooManyFiles,
  tooManyParts,
  unknownCharset,
} from './body-problems.ts'

export type FormOptions = {
  limits: Limits
  runs: Pick<Capacity['runs'], 'overloaded'>
  held: Hold
  /** Absent: a form with files is refused. */
  files?: FileReceiver | undefined
}

/** Takes the files of a form while they arrive. */
export interface FileReceiver {
  /** The files that have arrived, in the order of their first bytes. */
  readonly files: readonly { readonly name: string; readonly sha256: string }[]
  /**
   * Reads one file to its end.
   * @param name the client's name of the file: not checked, but without folders in front
   * @throws ProblemError which ends the form
   */
  receive(file: Readable, name: string): Promise<void>
}

/**
 * Reads the named fields of a multipart body while it arrives; other fields are ignored.
 *
 * @param options.held counts the bytes in memory: of the body while it arrives, then of the fields; files are not in memory
 * @throws ProblemError for a body that is not a form, incomplete, not UTF-8, or exceeds a limit; for files that are not
 *   received
 */
export async function readForm(
  context: ServerContext,
  names: readonly string[],
  { limits, runs, held, files }: FormOptions,
): Promise<Map<string, string>> {
  const parser = createParser(context.req.header('content-type'), limits)
  const fields = new Map<string, string>()
  return new Promise((resolve, reject) => {
    const body = bodyOf(context)
    const stalled = setTimeout(() => fail(bodyStalled()), limits.stalledMs)
    const tooSlow = setTimeout(() => fail(bodyStalled()), limits.deadlineMs)
    const isText = utf8Check()
    const maxBytes = files ? limits.uploadBytes : limits.bodyBytes
    const maxChunks = Math.max(1024, Math.floor(limits.bodyBytes / leastChunkBytes))
    const received: Promise<void>[] = []
    /** The chunks that are not part of a file alone, where the form may have files. */
    const texts: Buffer[] = []
    let fileIsOpen = false
    let total = 0
    let bytes = 0
    let chunks = 0
    let isWriting = false
    let settled = false

    const settle = (): boolean => {
      if (settled) return false
      settled = true
      clearTimeout(stalled)
      clearTimeout(tooSlow)
      // The parser outlives several collections of young objects, and its listeners would keep all of the request alive.
      parser.removeAllListeners().on('error', ignore)
      return true
    }
    const fail = (problem: ProblemError): void => {
      if (!settle()) return
      body.off('data', onData).pause()
      parser.destroy()
      // The client need not send the rest of its files.
      if (received.length > 0 && !body.readableEnded) problem.headers.connection = 'close'
      reject(problem)
    }
    const succeed = (): void => {
      if (!settle()) return
      let kept = 0
      for (const value of fields.values()) kept += Buffer.byteLength(value)
      held.set(kept)
      resolve(fields)
    }
    const onData = (chunk: Buffer): void => {
      stalled.refresh()
      if (files) {
        body.pause()
        isWriting = true
        writeInPieces(chunk)
      } else if (arrived(chunk) && count(chunk)) {
        parser.write(chunk)
        // Runs after the parser, which rejects files with a better message.
        if (!isText(chunk)) fail(notUTF8())
      }
    }
    const arrived = ({ length }: Buffer): boolean => {
      total += length
      if (total > maxBytes) fail(payloadTooLarge(maxBytes))
      return !settled
    }
    const count = ({ length }: Buffer): boolean => {
      bytes += length
      chunks++
      if (bytes > limits.bodyBytes) fail(payloadTooLarge(limits.bodyBytes))
      else if (chunks > maxChunks) fail(tooManyChunks(maxChunks))
      else if (!held.set(bytes + chunks * chunkBytes)) fail(noRoom(runs))
      return !settled
    }
    const end = (): void => (files || isText() ? void parser.end() : fail(notUTF8()))
    /** Reads on when the parser has passed on the chunk, so that a slow disk slows the client down. */
    const writeInPieces = (chunk: Buffer): void => {
      if (settled) return
      stalled.refresh()
      const piece = chunk.subarray(0, pieceBytes)
      if (piece.length === 0) {
        isWriting = false
        // A paused body ends nevertheless if Node had all of it when it emitted the last chunk.
        if (body.readableEnded) end()
        else body.resume()
        return
      }
      if (!arrived(piece) || !(fileIsOpen || count(piece))) return
      const fileCount = received.length
      const wasInside = fileIsOpen
      texts.push(piece)
      parser.write(piece, () => {
        // Bytes that belong to a file alone are not in memory any more.
        const isFile = wasInside && fileIsOpen && received.length === fileCount
        texts.pop()
        if (!isFile) texts.push(Buffer.from(piece))
        if (!isFile && wasInside && !count(piece)) return
        writeInPieces(chunk.subarray(pieceBytes))
      })
    }
    /** Whether a decoded text is as it was sent. The parser replaces bytes that are not UTF-8. */
    const isAsSent = (text: string): boolean => !text.includes('\ufffd') || Buffer.concat(texts).includes(text)

    parser.on('field', (name, value, { valueTruncated }) => {
      if (valueTruncated) fail(fieldTooLarge(name, limits.fieldBytes))
      else if ((name === 'files[]' || name === 'files') && value !== '') fail(files ? noFile(name) : filesNotServed())
      else if (typeof value !== 'string') fail(unknownCharset())
      else if (files && !(isAsSent(name ?? '') && isAsSent(value))) fail(notUTF8())
      else if (fields.has(name)) fail(sentTwice(name))
      else if (names.includes(name)) fields.set(name, value)
    })
    parser.on('file', (name, file, { filename }) => {
      file.on('error', ignore)
      // The parser replaces bytes that are not UTF-8 in a name, also in `filename*`.
      if (filename?.includes('\ufffd')) fail(notUTF8())
      // A browser sends an empty part without a name for an unused file input.
      else if (!filename) file.on('data', () => fail(files ? new ProblemError('invalid-filename') : filesNotServed()))
      else if (names.includes(name)) fail(noText(name))
      else if (!files) fail(filesNotServed())
      else if (name !== 'files' && name !== 'files[]') fail(otherFileField(name))
      else if (received.length >= limits.files) fail(tooManyFiles(limits.files))
      else {
        fileIsOpen = true
        whenParsed(file, () => {
          fileIsOpen = false
        })
        received.push(files.receive(file, filename).catch(failed))
      }
    })
    parser.on('partsLimit', () => fail(tooManyParts(limits.parts)))
    parser.on('error', (cause) => fail(new ProblemError('malformed-multipart', { cause })))
    const failed = (error: unknown): void =>
      fail(error instanceof ProblemError ? error : new ProblemError('internal-error', { cause: error }))
    parser.on('finish', () => void Promise.all(received).then(succeed))
    body.on('data', onData)
    body.on('end', () => isWriting || end())
    // A body that fails also emits `close`.
    body.on('error', (error) => error instanceof ProblemError && fail(error))
    body.on('close', () => body.readableEnded || fail(new ProblemError('malformed-multipart')))
    // The client may have left while its token was checked; then the body emits no more events.
    if (body.destroyed) fail(new ProblemError('malformed-multipart'))
  })
}

/** Calls back when the parser has met the end of a file, which is before the file emits `end`. */
function whenParsed(file: Readable, callback: () => void): void {
  const push = file.push.bind(file)
  file.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk === null) callback()
    return push(chunk, encoding)
  }
}

/** Chunks are as large as the client's system makes them: a larger one would count much of a file as text. */
const pieceBytes = 16 * 1024
/** Memory of a chunk in addition to its bytes. */
const chunkBytes = 1024
/** The least average size of the chunks of a large body: one that arrives byte by byte takes a thousand times its size. */
const leastChunkBytes = 512

/** Whether a `Content-Type` means a form with files. */
export function isForm(type = ''): boolean {
  return /^multipart\/form-data *(?:;|$)/i.test(type)
}

function createParser(contentType = '', limits: Limits): busboy.Busboy {
  // With an empty boundary, the parser ends a part at any line that begins with two dashes.
  if (/;[ \t]*boundary=""/i.test(contentType)) throw noBoundary()
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      // One more than is allowed: the parser reports a value or a form of exactly the limit as cut.
      limits: { fieldSize: limits.fieldBytes + 1, parts: limits.parts + 1 },
    })
  } catch (cause) {
    throw noBoundary(cause)
  }
}

/**
 * Checks that all bytes so far are UTF-8; called without a chunk, that they are complete. A form without files is all
 * text, and the parser replaces bytes that it cannot decode: two user ids could become one.
 */
function utf8Check(): (chunk?: Buffer) => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (chunk) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined })
      return true
    } catch {
      return false
    }
  }
}

function ignore(): void {}
