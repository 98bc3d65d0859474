import { Readable } from 'node:stream'
import busboy from 'busboy'
import { payloadTooLarge } from './guards/body-size.ts'
import type { Limits } from './limits.ts'
import { ProblemError } from './problem.ts'
import type { ServerContext } from './server-env.ts'

/**
 * The named fields of a multipart body, parsed as it comes in; other fields are ignored.
 *
 * @throws ProblemError for a body that is no form, is broken off, carries files, or passes a limit
 */
export async function readForm(
  context: ServerContext,
  names: readonly string[],
  limits: Limits,
): Promise<Map<string, string>> {
  const parser = createParser(context.req.header('content-type'), limits)
  const fields = new Map<string, string>()
  return new Promise((resolve, reject) => {
    const body = bodyOf(context)
    const stalled = setTimeout(() => fail(bodyStalled()), limits.stalledMs)
    let bytes = 0
    let settled = false

    const settle = (): boolean => {
      if (settled) return false
      settled = true
      clearTimeout(stalled)
      return true
    }
    const fail = (problem: ProblemError): void => {
      if (!settle()) return
      body.off('data', onData).pause()
      parser.destroy()
      reject(problem)
    }
    const onData = (chunk: Buffer): void => {
      stalled.refresh()
      bytes += chunk.length
      if (bytes > limits.bodyBytes) fail(payloadTooLarge(limits.bodyBytes))
      else parser.write(chunk)
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
      // A browser sends an empty part without a name for a file input that was left alone.
      if (filename) fail(filesNotServed())
      else file.on('data', () => fail(filesNotServed()))
    })
    parser.on('partsLimit', () => fail(tooManyParts(limits.parts)))
    parser.on('error', (cause) => fail(new ProblemError('malformed-multipart', { cause })))
    parser.on('finish', () => settle() && resolve(fields))
    body.on('data', onData)
    body.on('end', () => parser.end())
    // A body that fails is closed as well.
    body.on('error', ignore)
    body.on('close', () => body.readableEnded || fail(new ProblemError('malformed-multipart')))
    // The client may have gone while it was being asked for its token: then nothing more is told of the body.
    if (body.destroyed) fail(new ProblemError('malformed-multipart'))
  })
}

const unknownCharset = 'A form field is in a character set that this server does not know; send UTF-8.'
const noBoundary =
  'The Content-Type header names no boundary, so the form cannot be read. Leave the header out: ' +
  'curl --form, fetch and other clients then write it themselves, with the boundary that they use.'

function createParser(contentType: string | undefined, limits: Limits): busboy.Busboy {
  if (!contentType || !/^multipart\/form-data *(?:;|$)/i.test(contentType)) {
    throw new ProblemError('unsupported-media-type')
  }
  try {
    return busboy({
      headers: { 'content-type': contentType },
      // The parser cannot tell a value or a form that just fits from one that was cut: so one more than is allowed.
      limits: { fieldSize: limits.fieldBytes + 1, parts: limits.parts + 1 },
    })
  } catch (cause) {
    throw new ProblemError('malformed-multipart', { detail: noBoundary, cause })
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

function fieldTooLarge(name: string, fieldBytes: number): ProblemError {
  const message = `longer than the ${fieldBytes} bytes that a field may have`
  return new ProblemError('field-too-large', { errors: [{ path: [name], message }] })
}

function filesNotServed(): ProblemError {
  return new ProblemError('unsupported-media-type', {
    detail: 'This server does not take files: send the form without files[].',
    errors: [{ path: ['files[]'], message: 'files are not taken' }],
  })
}

function sentTwice(name: string): ProblemError {
  return new ProblemError('invalid-field', { errors: [{ path: [name], message: 'sent more than once' }] })
}

function tooManyParts(parts: number): ProblemError {
  return new ProblemError('too-many-parts', { detail: `The form has more than the ${parts} parts that it may have.` })
}

function bodyStalled(): ProblemError {
  return new ProblemError('request-timeout', { headers: { connection: 'close' } })
}

function ignore(): void {}
