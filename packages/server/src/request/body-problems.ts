import { ProblemError } from '../answer/problem.ts'
import type { Capacity } from '../capacity/capacity.ts'

/** Closes the connection, because the rest of the body is not read. */
export function payloadTooLarge(bodyBytes: number): ProblemError {
  return new ProblemError('payload-too-large', {
    detail: `The request body is larger than the limit of ${bodyBytes} bytes.`,
    headers: { connection: 'close' },
  })
}

export function fieldTooLarge(name: string | undefined, fieldBytes: number): ProblemError {
  const message = `is longer than the limit of ${fieldBytes} bytes`
  return ofField('field-too-large', name, message)
}

export function filesNotServed(): ProblemError {
  return new ProblemError('unsupported-media-type', {
    detail:
      'This agent has no files, so it takes none: send the text fields user_id, session_id and chat_data without files.',
    errors: [{ path: ['files'], message: 'files are not accepted' }],
  })
}

export function noFile(name: string): ProblemError {
  return ofField('invalid-field', name, 'must be a file, with a file name')
}

/** A text that is sent as a file, for example as a Blob. */
export function noText(name: string): ProblemError {
  return ofField('invalid-field', name, 'is a file: send it as text, without a file name')
}

export function otherFileField(name: string | undefined): ProblemError {
  return ofField('invalid-field', name, 'is a file: send files in the field "files"')
}

export function tooManyFiles(files: number): ProblemError {
  return new ProblemError('too-many-parts', { detail: `The form has more than the limit of ${files} files.` })
}

export function sentTwice(name: string): ProblemError {
  return ofField('invalid-field', name, 'is sent more than once')
}

export function tooManyParts(parts: number): ProblemError {
  return new ProblemError('too-many-parts', { detail: `The form has more than the limit of ${parts} parts.` })
}

export function tooManyChunks(chunks: number): ProblemError {
  return new ProblemError('payload-too-large', {
    detail: `The request body arrived in more than ${chunks} pieces. Send larger ones.`,
    headers: { connection: 'close' },
  })
}

export function notUTF8(): ProblemError {
  return new ProblemError('malformed-multipart', {
    detail: 'A text field or a file name is not valid UTF-8. Send the form in UTF-8.',
  })
}

/** Closes the connection, because the rest of the body may still arrive. */
export function noRoom(runs: Pick<Capacity['runs'], 'overloaded'>): ProblemError {
  return runs.overloaded('Requests that have not started hold all the memory that they may use.', {
    connection: 'close',
  })
}

export function bodyStalled(): ProblemError {
  return new ProblemError('request-timeout', { headers: { connection: 'close' } })
}

export function bodyWasRead(): ProblemError {
  return new ProblemError('invalid-config', {
    detail:
      'The body was read before it reached the agent. Mount the agent before express.json() and other parsers of bodies.',
  })
}

export function unknownCharset(): ProblemError {
  return new ProblemError('malformed-multipart', {
    detail: 'A form field is in an unknown character set. Send UTF-8.',
  })
}

export function noBoundary(cause?: unknown): ProblemError {
  const detail =
    'The Content-Type header names no boundary, so the form cannot be parsed. Leave the header out: ' +
    'curl --form, fetch and other clients then add it with the boundary that they use.'
  return new ProblemError('malformed-multipart', { detail, cause })
}

/** @param name of the field; absent for a part without one */
function ofField(code: 'invalid-field' | 'field-too-large', name: string | undefined, message: string): ProblemError {
  const path = name === undefined ? [] : [name]
  const field = name === undefined ? 'A field without a name' : `The field ${name}`
  return new ProblemError(code, { detail: `${field} ${message}.`, errors: [{ path, message }] })
}
