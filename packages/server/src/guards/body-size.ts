import { ProblemError } from '../answer/problem.ts'
import type { Guard } from '../util/server-env.ts'

/** Refuses by its `Content-Length` a body that is too large, before any of it is read. */
export function bodySizeGuard(bodyBytes: number): Guard {
  return async function checkBodySize(context, next) {
    if (Number(context.req.header('content-length') ?? 0) > bodyBytes) throw payloadTooLarge(bodyBytes)
    await next()
  }
}

/** Closes the connection, because the rest of the body is not wanted. */
export function payloadTooLarge(bodyBytes: number): ProblemError {
  return new ProblemError('payload-too-large', {
    detail: `The request body is larger than the ${bodyBytes} bytes that this server takes.`,
    headers: { connection: 'close' },
  })
}
