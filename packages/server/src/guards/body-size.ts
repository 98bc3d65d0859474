import { ProblemError } from '../answer/problem.ts'
import type { Limits } from '../limits.ts'
import { payloadTooLarge } from '../request/body-problems.ts'
import type { Guard } from '../util/server-env.ts'

/** The routes whose forms may have files. */
const takesFiles = /\/(?:uploadfiles|chat|chat_stream|runs)\/?$/

/**
 * The largest body of a request.
 *
 * @param hasFiles whether the agent takes files
 * @param request its path without a query, and its content type
 */
export function largestBody(
  limits: Limits,
  hasFiles: boolean,
  { path, contentType = '' }: { path: string; contentType?: string | undefined },
): number {
  const mayHaveFiles = hasFiles && takesFiles.test(path) && /^multipart\//i.test(contentType)
  return mayHaveFiles ? limits.uploadBytes : limits.bodyBytes
}

/** Refuses a body that is compressed, or too large by its `Content-Length`, before any of it is read. */
export function bodyGuard(limits: Limits, hasFiles: boolean): Guard {
  return async function checkBody(context, next) {
    const { path } = context.req
    if (!/^(?:identity)?$/i.test(context.req.header('content-encoding') ?? '')) throw compressed()
    const largest = largestBody(limits, hasFiles, { path, contentType: context.req.header('content-type') })
    if (Number(context.req.header('content-length') ?? 0) > largest) throw payloadTooLarge(largest)
    await next()
  }
}

/** The limits count the bytes that arrive, so compressed bodies are refused. */
function compressed(): ProblemError {
  return new ProblemError('unsupported-media-type', {
    detail: 'Send the body without a Content-Encoding: compressed bodies are not read.',
    headers: { 'accept-encoding': 'identity', connection: 'close' },
  })
}
