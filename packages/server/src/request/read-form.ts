import { Readable } from 'node:stream'
import busboy from 'busboy'
import { ProblemError } from '../answer/problem.ts'
import type { Capacity } from '../capacity/capacity.ts'
import type { Hold } from '../capacity/held-bytes.ts'
import type { Limits } from '../limits.ts'
import type { ServerContext } from '../util/server-env.ts'

export type FormOptions = { limits: Limits; runs: Pick<Capacity['runs'], 'overloaded'>; held: Hold }

/**
 * The named fields of a multipart body, parsed as it comes in; other fields are ignored.
 *
 * @param options.held counts the bytes that are in memory: while they come in, and the fields' from then on
 * @throws ProblemError for a body that is no form, is broken off, is no UTF-8, carries files, or passes a limit
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
        // After the parser, which knows whether the bytes are a file's.
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
      // What is no UTF-8 in a name, also in the form `filename*`, the parser has replaced.
      if (filename?.includes('\ufffd')) fail(notUTF8())
      // A browser sends an empty part without a name for a file input that was left alone.
      else if (filename) fail(filesNotServed())
      else file.on('data', () => fail(filesNotServed()))
    })
    parser.on('partsLimit', () => fail(tooManyParts(limits.parts)))
    parser.on('error', (cause) => fail(new ProblemError('malformed-multipart', { cause })))
    parser.on('finish', succeed)
    body.on('data', onData)
    body.on('end', () => (isText() ? parser.end() : fail(notUTF8())))
    // A body that fails is closed as well.
    body.on('error', ignore)
    body.on('close', () => body.readableEnded || fail(new ProblemError('malformed-multipart')))
    // The client may have left while its token was checked: then the body emits nothing more.
    if (body.destroyed) fail(new ProblemError('malformed-multipart'))
  })
}

/** What a chunk of a body costs beside its bytes. */
const chunkBytes = 1024
/** The average size of the chunks of the largest body: one that comes byte by byte costs a thousand times its size. */
const leastChunkBytes = 512

const unknownCharset = 'A form field is in a character set that this server does not know; send UTF-8.'
const noBoundary =
  'The Content-Type header names no boundary, so the form cannot be read. Leave the header out: ' +
  'curl --form, fetch and other clients then write it themselves, with the boundary that they use.'

function createParser(contentType: string | undefined, limits: Limits): busboy.Busboy {
  if (!contentType || !/^multipart\/form-data *(?:;|$)/i.test(contentType)) {
    throw new ProblemError('unsupported-media-type', { headers: { accept: 'multipart/form-data' } })
  }
  // The parser would take any line that begins with two dashes for the end of a part.
  if (/;[ \t]*boundary=""/i.test(contentType)) throw new ProblemError('malformed-multipart', { detail: noBoundary })
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      // The parser cannot tell a value or a form that just fits from one that was cut: so one more than is allowed.
      limits: { fieldSize: limits.fieldBytes + 1, parts: limits.parts + 1 },
    })
  } catch (cause) {
    throw new ProblemError('malformed-multipart', { detail: noBoundary, cause })
  }
}

/**
 * Whether all bytes so far are UTF-8; called without a chunk, whether they are complete. Everything in a form without
 * files is text, and the parser replaces what it cannot decode: two user ids could become one.
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

/** Node's own request where there is one: building a web stream of it would cost more than the parsing. */
function bodyOf(context: ServerContext): Readable {
  const incoming = context.env?.incoming
  if (incoming instanceof Readable && !context.req.raw.bodyUsed) return incoming
  const { body } = context.req.raw
  // TypeScript knows two ReadableStreams, the DOM's and Node's; at run time there is one.
  return body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([])
}

/** Closes the connection, because the rest of the body is not wanted. */
export function payloadTooLarge(bodyBytes: number): ProblemError {
  return new ProblemError('payload-too-large', {
    detail: `The request body is larger than the ${bodyBytes} bytes that this server takes.`,
    headers: { connection: 'close' },
  })
}

function fieldTooLarge(name: string, fieldBytes: number): ProblemError {
  const message = `longer than the ${fieldBytes} bytes that a field may have`
  return new ProblemError('field-too-large', { errors: [{ path: [name], message }] })
}

function filesNotServed(): ProblemError {
  return new ProblemError('unsupported-media-type', {
    detail: 'This server does not take files: send the text fields user_id, session_id and chat_data without files[].',
    errors: [{ path: ['files[]'], message: 'files are not taken' }],
  })
}

function sentTwice(name: string): ProblemError {
  return new ProblemError('invalid-field', { errors: [{ path: [name], message: 'sent more than once' }] })
}

function tooManyParts(parts: number): ProblemError {
  return new ProblemError('too-many-parts', { detail: `The form has more than the ${parts} parts that it may have.` })
}

function tooManyChunks(chunks: number): ProblemError {
  return new ProblemError('payload-too-large', {
    detail: `The request body comes in more than ${chunks} pieces. Send it in larger ones.`,
    headers: { connection: 'close' },
  })
}

function notUTF8(): ProblemError {
  return new ProblemError('malformed-multipart', {
    detail: 'A text field or a file name is not valid UTF-8. Send the form in UTF-8.',
  })
}

/** Closes the connection, because the rest of the body may not be wanted. */
export function noRoom(runs: FormOptions['runs']): ProblemError {
  return runs.overloaded('Requests that have not started hold as much memory as they may.', { connection: 'close' })
}

function bodyStalled(): ProblemError {
  return new ProblemError('request-timeout', { headers: { connection: 'close' } })
}

function ignore(): void {}
