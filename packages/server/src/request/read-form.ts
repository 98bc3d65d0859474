import { Readable } from 'node:stream'
import busboy from 'busboy'
import { ProblemError } from '../answer/problem.ts'
import type { Capacity } from '../capacity/capacity.ts'
import type { Hold } from '../capacity/held-bytes.ts'
import type { Limits } from '../limits.ts'
import type { ServerContext } from '../util/server-env.ts'

export type FormOptions = { limits: Limits; runs: Pick<Capacity['runs'], 'overloaded'>; held: Hold }

/**
 * Reads the named fields of a multipart body while it arrives; other fields are ignored.
 *
 * @param options.held counts the bytes in memory: of the body while it arrives, then of the fields
 * @throws ProblemError for a body that is not a form, incomplete, not UTF-8, contains files, or exceeds a limit
 */
export async function readForm(
  context: ServerContext,
  names: readonly string[],
  { limits, runs, held }: FormOptions,
): Promise<Map<string, string>> {
  const parser = createParser(context.req.header('content-type'), limits)
  const fields = new Map<string, string>()
  return new Promise((resolve, reject) => {
    const body = bodyOf(context)
    const stalled = setTimeout(() => fail(bodyStalled()), limits.stalledMs)
    const tooSlow = setTimeout(() => fail(bodyStalled()), limits.deadlineMs)
    const isText = utf8Check()
    const maxChunks = Math.max(1024, Math.floor(limits.bodyBytes / leastChunkBytes))
    let bytes = 0
    let chunks = 0
    let settled = false

    const settle = (): boolean => {
      if (settled) return false
      settled = true
      clearTimeout(stalled)
      clearTimeout(tooSlow)
      return true
    }
    const fail = (problem: ProblemError): void => {
      if (!settle()) return
      body.off('data', onData).pause()
      parser.destroy()
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
      bytes += chunk.length
      chunks++
      if (bytes > limits.bodyBytes) fail(payloadTooLarge(limits.bodyBytes))
      else if (chunks > maxChunks) fail(tooManyChunks(maxChunks))
      else if (!held.set(bytes + chunks * chunkBytes)) fail(noRoom(runs))
      else {
        parser.write(chunk)
        // After the parser, which rejects files with a better message.
        if (!isText(chunk)) fail(notUTF8())
      }
    }

    parser.on('field', (name, value, { valueTruncated }) => {
      if (valueTruncated) fail(fieldTooLarge(name, limits.fieldBytes))
      else if (name === 'files[]' && value !== '') fail(filesNotServed())
      else if (typeof value !== 'string') fail(new ProblemError('malformed-multipart', { detail: unknownCharset }))
      else if (fields.has(name)) fail(sentTwice(name))
      else if (names.includes(name)) fields.set(name, value)
    })
    parser.on('file', (_name, file, { filename }) => {
      file.on('error', ignore)
      // The parser replaces what is not UTF-8 in a name, also in `filename*`.
      if (filename?.includes('\ufffd')) fail(notUTF8())
      // A browser sends an empty part without a name for an unused file input.
      else if (filename) fail(filesNotServed())
      else file.on('data', () => fail(filesNotServed()))
    })
    parser.on('partsLimit', () => fail(tooManyParts(limits.parts)))
    parser.on('error', (cause) => fail(new ProblemError('malformed-multipart', { cause })))
    parser.on('finish', succeed)
    body.on('data', onData)
    body.on('end', () => (isText() ? parser.end() : fail(notUTF8())))
    // A body that fails also emits `close`.
    body.on('error', ignore)
    body.on('close', () => body.readableEnded || fail(new ProblemError('malformed-multipart')))
    // The client may have left while its token was checked; then the body emits no more events.
    if (body.destroyed) fail(new ProblemError('malformed-multipart'))
  })
}

/** Memory of a chunk in addition to its bytes. */
const chunkBytes = 1024
/** The least average size of the chunks of a large body: one that arrives byte by byte takes a thousand times its size. */
const leastChunkBytes = 512

const unknownCharset = 'A form field is in an unknown character set. Send UTF-8.'
const noBoundary =
  'The Content-Type header names no boundary, so the form cannot be parsed. Leave the header out: ' +
  'curl --form, fetch and other clients then add it with the boundary that they use.'

function createParser(contentType: string | undefined, limits: Limits): busboy.Busboy {
  if (!contentType || !/^multipart\/form-data *(?:;|$)/i.test(contentType)) {
    throw new ProblemError('unsupported-media-type', { headers: { accept: 'multipart/form-data' } })
  }
  // With an empty boundary, the parser ends a part at any line that begins with two dashes.
  if (/;[ \t]*boundary=""/i.test(contentType)) throw new ProblemError('malformed-multipart', { detail: noBoundary })
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      // One more than is allowed: the parser reports a value or a form of exactly the limit as cut.
      limits: { fieldSize: limits.fieldBytes + 1, parts: limits.parts + 1 },
    })
  } catch (cause) {
    throw new ProblemError('malformed-multipart', { detail: noBoundary, cause })
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

/** Node's own request, if there is one: converting it to a web stream takes longer than parsing it. */
function bodyOf(context: ServerContext): Readable {
  const incoming = context.env?.incoming
  if (incoming instanceof Readable && !context.req.raw.bodyUsed) return incoming
  const { body } = context.req.raw
  // TypeScript knows two ReadableStreams, the DOM's and Node's; at run time there is one.
  return body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([])
}

/** Closes the connection, because the rest of the body is not read. */
export function payloadTooLarge(bodyBytes: number): ProblemError {
  return new ProblemError('payload-too-large', {
    detail: `The request body is larger than the limit of ${bodyBytes} bytes.`,
    headers: { connection: 'close' },
  })
}

function fieldTooLarge(name: string, fieldBytes: number): ProblemError {
  const message = `longer than the limit of ${fieldBytes} bytes`
  return new ProblemError('field-too-large', { errors: [{ path: [name], message }] })
}

function filesNotServed(): ProblemError {
  return new ProblemError('unsupported-media-type', {
    detail:
      'This server does not accept files: send the text fields user_id, session_id and chat_data without files[].',
    errors: [{ path: ['files[]'], message: 'files are not accepted' }],
  })
}

function sentTwice(name: string): ProblemError {
  return new ProblemError('invalid-field', { errors: [{ path: [name], message: 'sent more than once' }] })
}

function tooManyParts(parts: number): ProblemError {
  return new ProblemError('too-many-parts', { detail: `The form has more than the limit of ${parts} parts.` })
}

function tooManyChunks(chunks: number): ProblemError {
  return new ProblemError('payload-too-large', {
    detail: `The request body arrived in more than ${chunks} pieces. Send larger ones.`,
    headers: { connection: 'close' },
  })
}

function notUTF8(): ProblemError {
  return new ProblemError('malformed-multipart', {
    detail: 'A text field or a file name is not valid UTF-8. Send the form in UTF-8.',
  })
}

/** Closes the connection, because the rest of the body may still arrive. */
export function noRoom(runs: FormOptions['runs']): ProblemError {
  return runs.overloaded('Requests that have not started hold all the memory that they may use.', {
    connection: 'close',
  })
}

function bodyStalled(): ProblemError {
  return new ProblemError('request-timeout', { headers: { connection: 'close' } })
}

function ignore(): void {}
