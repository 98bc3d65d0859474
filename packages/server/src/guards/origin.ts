import { ProblemError } from '../answer/problem.ts'
import type { Guard, ServerContext } from '../util/server-env.ts'
import type { CorsRule } from './cors.ts'
import { requestHost } from './host.ts'

/**
 * Refuses pages of other origins, and answers the preflights of allowed ones. A request with neither `Origin` nor
 * `Sec-Fetch-Site` does not come from a browser and is accepted.
 */
export function originGuard(cors: CorsRule | undefined): Guard {
  return async function checkOrigin(context, next) {
    const origin = context.req.header('origin')
    if (origin === undefined) {
      const site = context.req.header('sec-fetch-site')
      if (site === 'cross-site' || site === 'same-site') throw new ProblemError('cross-origin')
      return next()
    }
    if (cors && (cors.origins === '*' || cors.origins.has(origin))) {
      if (isPreflight(context)) return new Response(null, { status: 204, headers: preflightHeaders(cors, origin) })
      await next()
      for (const [name, value] of corsHeaders(cors, origin)) context.res.headers.set(name, value)
      return
    }
    if (!isSameHost(origin, requestHost(context))) throw new ProblemError('cross-origin')
    return next()
  }
}

function isPreflight(context: ServerContext): boolean {
  return context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') !== undefined
}

function preflightHeaders(cors: CorsRule, origin: string): [string, string][] {
  return [
    ...corsHeaders(cors, origin),
    ['access-control-allow-methods', 'GET, POST, PUT, DELETE'],
    ['access-control-allow-headers', 'authorization, content-type, last-event-id, x-request-id'],
    ['access-control-max-age', '600'],
  ]
}

function corsHeaders(cors: CorsRule, origin: string): [string, string][] {
  const headers: [string, string][] = [
    ['access-control-allow-origin', cors.origins === '*' ? '*' : origin],
    ['access-control-expose-headers', 'retry-after, x-request-id'],
    ['vary', 'origin'],
  ]
  if (cors.credentials) headers.push(['access-control-allow-credentials', 'true'])
  return headers
}

/** Schemes are not compared, because a proxy may terminate TLS. */
function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}
