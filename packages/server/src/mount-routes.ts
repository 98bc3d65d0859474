import { toJsonSchema } from '@valibot/to-json-schema'
import type { Hono } from 'hono'
import { describeRoute } from 'hono-openapi'
import type { GenericSchema } from 'valibot'
import { ProblemError } from './answer/problem.ts'
import { fingerprint } from './request/fingerprint.ts'
import { type Begin, beginsNothing, idempotencyKeyOf, idempotent } from './request/idempotency.ts'
import type { RouteParts } from './request/parts.ts'
import { readJSON } from './request/read-json.ts'
import type { Method, Route } from './request/route.ts'
import { validate } from './request/validate.ts'
import type { ServerContext, ServerEnv } from './util/server-env.ts'

/** Adds routes to the app. Other methods of their paths are 405 with `Allow`. */
export function mountRoutes(app: Hono<ServerEnv>, routes: readonly Route[], parts: RouteParts): void {
  for (const route of routes) {
    app.on(route.method, route.path, describeRoute(descriptionOf(route)), (context) => answer(context, route, parts))
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method)
    const allow = allowed(methods)
    app.all(path, (context) => {
      if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
      throw new ProblemError('method-not-allowed', { headers: { allow } })
    })
  }
}

function allowed(methods: readonly Method[]): string {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

async function answer(context: ServerContext, route: Route, parts: RouteParts): Promise<Response> {
  const isPost = route.method === 'POST'
  // Before the body is read, also where the route reads it.
  if (isPost) idempotencyKeyOf(context)
  const query = route.query ? validate(route.query, readQuery(context)) : {}
  const sent = route.body ? await readBody(context, parts) : undefined
  const body = route.body ? validate(route.body, sent) : undefined
  const handle = (begin: Begin): Response | Promise<Response> =>
    route.handle(context, { query, body, param: (name) => context.req.param(name) ?? '', begin })
  if (!isPost || route.otherBody) return handle(beginsNothing)
  const userId = userOf(context, body) ?? userOf(context, query) ?? ''
  return idempotent(context, parts, { userId, fingerprint: fingerprint([sent ?? null, query]) }, handle)
}

async function readBody(context: ServerContext, { limits, capacity }: RouteParts): Promise<unknown> {
  const held = capacity.hold()
  try {
    return await readJSON(context, { limits, runs: capacity.runs, held })
  } finally {
    held.release()
  }
}

/** The user of a request, for its idempotency key alone: the route checks it. */
function userOf(context: ServerContext, input: unknown): string | undefined {
  const principal = context.get('principal')
  if (principal !== undefined && principal !== '*') return principal
  const { user_id } = typeof input === 'object' && input !== null ? (input as { user_id?: unknown }) : {}
  return typeof user_id === 'string' ? user_id : undefined
}

/** @throws ProblemError `invalid-field` for a parameter that is sent twice or is not valid UTF-8 */
function readQuery(context: ServerContext): Record<string, string> {
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URL(context.req.url).searchParams) {
    if (name in query) throw invalid(name, 'is sent more than once')
    if (value.includes('\ufffd')) throw invalid(name, 'is not valid UTF-8')
    query[name] = value
  }
  return { ...query }
}

function invalid(name: string, message: string): ProblemError {
  return new ProblemError('invalid-field', { errors: [{ path: [name], message }] })
}

type Description = Parameters<typeof describeRoute>[0]

function descriptionOf({ tag, summary, description, query, body, otherBody, answers }: Route): Description {
  const json = body ? { 'application/json': schemaOf(body) } : {}
  const content = Object.entries({ ...json, ...otherBody }).map(([type, schema]) => [type, { schema }])
  const responses = Object.entries(answers).map(([status, { description: text, content: types }]) => {
    const media = types && Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]))
    return [status, { description: text, ...(media && { content: media }) }]
  })
  return {
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(query && { parameters: parametersOf(query) }),
    ...(content.length > 0 && { requestBody: { required: true, content: Object.fromEntries(content) } }),
    responses: Object.fromEntries(responses),
  }
}

type Schema = { properties?: Record<string, object>; required?: string[] }

/** Of what a client sends, not of what `transform` makes of it. */
function schemaOf(schema: GenericSchema): Schema {
  const { $schema: _, ...own } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' })
  return own as Schema // `toJsonSchema` of an object
}

function parametersOf(query: GenericSchema): NonNullable<Description['parameters']> {
  const { properties = {}, required = [] } = schemaOf(query)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query' as const,
    required: required.includes(name),
    schema,
  }))
}
