import type { Hono } from 'hono'
import { METHOD_NAME_ALL } from 'hono/router'
import { describeRoute } from 'hono-openapi'
import { invalid } from './answer/field-problems.ts'
import { handlerProblem, ProblemError } from './answer/problem.ts'
import { failureContent } from './dialects/dialect-problem.ts'
import { routeDescription } from './docs/describe-route.ts'
import { fingerprint } from './request/fingerprint.ts'
import { type Begin, idempotencyKeyOf, idempotent, withoutKey } from './request/idempotency.ts'
import type { RouteParts } from './request/parts.ts'
import { withJSON } from './request/read-json.ts'
import type { Method, Route } from './request/route.ts'
import { validate } from './request/validate.ts'
import type { ServerContext, ServerEnv } from './util/server-env.ts'

/**
 * Adds routes to the app. Other methods of their paths are 405 with `Allow`.
 * @param options.isPublic whether they need no token
 */
export function mountRoutes(
  app: Hono<ServerEnv>,
  routes: readonly Route[],
  parts: RouteParts,
  { isPublic = false }: { isPublic?: boolean } = {},
): void {
  const security = !parts.rules.hasAuth ? 'none' : isPublic ? 'optional' : 'token'
  for (const route of routes) {
    const namesUser = mustNameUser(route, parts.rules)
    const failure = failureContent(route.path)
    const description = describeRoute(routeDescription(route, { security, namesUser, failure }))
    const handle = (context: ServerContext): Promise<Response> => answer(context, route, parts).catch(asError)
    app.on(route.method, route.path, description, handle)
    app.on(route.method, withSlash(route.path), handle)
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method)
    const allow = allowed(methods)
    app.on(METHOD_NAME_ALL, [path, withSlash(path)], (context) => {
      if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
      throw new ProblemError('method-not-allowed', { headers: { allow } })
    })
  }
}

/** The path with the slash at its end that an app below another one sees: only `getPath` of an app of its own removes it. */
export function withSlash(path: string): string {
  return `${path}/`
}

/** Routes of files that users share, and the one that says who the caller is, need no user. An upload has it in one of two places. */
function mustNameUser({ path, tag }: Route, { hasAuth, perUserFiles }: RouteParts['rules']): boolean {
  if (hasAuth || path === '/api/v1/info' || path === '/api/v1/uploadfiles') return false
  return tag !== 'files' || perUserFiles
}

function allowed(methods: readonly Method[]): string {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

async function answer(context: ServerContext, route: Route, parts: RouteParts): Promise<Response> {
  context.set('route', route.path)
  const takesKey = route.method === 'POST' && route.tag !== 'dialects'
  // The key is checked before the body is read, even if the route reads the body itself.
  if (takesKey) idempotencyKeyOf(context)
  const query = route.query ? validate(route.query, readQuery(context)) : {}
  const sent = route.body ? await withJSON(context, parts, async (read) => read) : undefined
  const body = route.body ? validate(route.body, sent) : undefined
  const handle = (begin: Begin): Response | Promise<Response> =>
    route.handle(context, { query, body, param: (name) => readParam(context, name), begin })
  if (!takesKey || route.otherBody) return handle(withoutKey)
  const userId = userIdIn(body) ?? userIdIn(query)
  return idempotent(context, parts, { userId, fingerprint: fingerprint(context, [sent ?? null, query]) }, handle)
}

/** Hono passes on only errors: a store or knowledge of others may throw any value. */
function asError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : handlerProblem(thrown)
}

/** The user that a request names, if its schema has one. */
function userIdIn(input: unknown): string | undefined {
  const { user_id } = typeof input === 'object' && input !== null ? (input as { user_id?: unknown }) : {}
  return typeof user_id === 'string' ? user_id : undefined
}

/** A parameter of a path that is not valid UTF-8 has U+FFFD, so that it names nothing. */
function readParam({ req }: ServerContext, name: string): string {
  const value = req.param(name) ?? ''
  return isUTF8(new URL(req.url).pathname) ? value : `${value}\ufffd`
}

/** Whether a part of an address is valid UTF-8. A percent sign without two hexadecimal digits is taken literally. */
function isUTF8(encoded: string): boolean {
  try {
    decodeURIComponent(encoded.replace(/%(?![0-9a-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}

/** @throws ProblemError `invalid-field` for a parameter that is sent twice or is not valid UTF-8 */
function readQuery(context: ServerContext): Record<string, string> {
  const query: Record<string, string> = Object.create(null)
  const { search, searchParams } = new URL(context.req.url)
  for (const [name, value] of searchParams) {
    if (name in query) throw invalid([name], 'is sent more than once', 'parameter')
    if (value.includes('\ufffd') && !isUTF8(search)) throw invalid([name], 'is not valid UTF-8', 'parameter')
    query[name] = value
  }
  return { ...query }
}
