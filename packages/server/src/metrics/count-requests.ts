import type { Totals } from '../capacity/totals.ts'
import type { Guard } from '../util/server-env.ts'

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * The status for a client that has disconnected before its answer, which is no failure of the server. nginx uses the
 * same status.
 */
const left = 499

/** Counts each request by its route: paths that no route has are counted together, as clients choose them. */
export function countRequests(totals: Totals): Guard {
  return async function count(context, next) {
    await next()
    const { method } = context.req
    totals.countRequest({
      method: methods.has(method) ? method : 'other',
      route: context.get('route') ?? 'other',
      status: context.req.raw.signal.aborted && context.res.status >= 500 ? left : context.res.status,
    })
  }
}
