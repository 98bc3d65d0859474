import { payloadTooLarge } from '../request/read-form.ts'
import type { Guard } from '../util/server-env.ts'

/** Refuses a body that is too large by its `Content-Length`, before any of it is read. */
export function bodySizeGuard(bodyBytes: number): Guard {
  return async function checkBodySize(context, next) {
    if (Number(context.req.header('content-length') ?? 0) > bodyBytes) throw payloadTooLarge(bodyBytes)
    await next()
  }
}
