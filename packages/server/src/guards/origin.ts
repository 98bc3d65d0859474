import { ProblemError } from '../answer/problem.ts'
import { localPath } from '../util/local-path.ts'
import type { Guard, ServerContext } from '../util/server-env.ts'
import { type CorsRule, corsHeaders, isPreflight, preflightResponse } from './cors.ts'
import { requestHosts } from './host.ts'

/** The paths that a page of another site may link to. */
const pages: readonly string[] = ['/', '/docs']

const noOrigin =
  'A page that is opened as a file, or in a sandboxed frame, has no origin and may not call this server. Serve it over http.'

/**
 * Refuses pages of other origins, and answers the preflights of allowed ones. A request with neither `Origin` nor
 * `Sec-Fetch-Site` does not come from a browser and is accepted.
 */
export function originGuard(cors: CorsRule | undefined): Guard {
  return async function checkOrigin(context, next) {
    const origin = context.req.header('origin')
    if (origin === undefined) {
      const site = context.req.header('sec-fetch-site')
      if ((site === 'cross-site' || site === 'same-site') && !isLinkToPage(context)) {
        throw new ProblemError('cross-origin')
      }
      return next()
    }
    // Files, sandboxed frames and redirects send "null": any page can.
    if (cors && origin !== 'null' && (cors.origins === '*' || cors.origins.has(origin))) {
      if (isPreflight(context)) return preflightResponse(cors, origin, context)
      await next()
      for (const [name, value] of corsHeaders(cors, origin)) context.res.headers.set(name, value)
      context.res.headers.append('vary', 'origin')
      return
    }
    if (origin === 'null') throw new ProblemError('cross-origin', { detail: noOrigin })
    if (!isSameHost(origin, requestHosts(context))) throw new ProblemError('cross-origin')
    return next()
  }
}

/** A navigation of the whole tab, which shows the answer to the user and not to the other page. */
function isLinkToPage(context: ServerContext): boolean {
  const { req } = context
  const isNavigation = req.method === 'GET' && req.header('sec-fetch-mode') === 'navigate'
  return (
    isNavigation && [undefined, 'document'].includes(req.header('sec-fetch-dest')) && pages.includes(localPath(context))
  )
}

/** Schemes are not compared, because a proxy may terminate TLS. A proxy may also name the port that an origin leaves out. */
function isSameHost(origin: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host } = new URL(origin)
  const named = hosts.at(-1)?.toLowerCase()
  return named === host || named === `${host}:${protocol === 'https:' ? 443 : 80}`
}
