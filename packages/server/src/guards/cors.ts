import { checkOptionNames, invalidConfig } from '@agentkit/core/internal'
import type { ServerContext } from '../util/server-env.ts'

/** Other origins whose pages may call: `*`, exact origins such as `https://app.example.com`, or those with cookies. */
export type CorsOptions =
  | string
  | readonly string[]
  | { origins: string | readonly string[] /** Allows cookies and HTTP authentication. */; credentials?: boolean }

/** Other origins whose pages may call. */
export type CorsRule = { origins: '*' | ReadonlySet<string>; credentials: boolean }

/** @throws AgentKitError `invalid-config` for a value that is not an origin, and for every origin with credentials */
export function toCorsRule(cors: CorsOptions): CorsRule {
  const { origins, credentials = false } = toOrigins(cors)
  const list = typeof origins === 'string' ? [origins] : origins
  if (!Array.isArray(list)) throw invalidConfig('`cors` is an origin, a list of origins, or { origins, credentials }.')
  if (list.includes('*')) {
    if (credentials) {
      throw invalidConfig(
        '`cors` allows every origin and credentials: any page could act as its visitor. Name the origins.',
      )
    }
    return { origins: '*', credentials }
  }
  for (const origin of list) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw invalidConfig(
        `"${origin}" in \`cors\` is not an origin. Write it like "https://app.example.com", without a path.`,
      )
    }
  }
  return { origins: new Set(list), credentials }
}

/** Methods and headers that the routes use. */
const allowedMethods = 'GET, POST, PUT, PATCH, DELETE'
const allowedHeaders = [
  'authorization',
  'content-type',
  'last-event-id',
  'idempotency-key',
  'x-request-id',
  'x-session-id',
  'x-user-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'a2a-version',
  'a2a-extensions',
  'user-agent',
]
/** Headers of OpenAI's clients, of which there are many. */
const clientHeader = /^x-stainless-[a-z0-9-]{1,64}$/
const maxClientHeaders = 32

/** The headers of answers that browsers let the pages read. */
const exposedHeaders =
  'location, retry-after, x-request-id, x-run-id, idempotency-replayed, x-vercel-ai-ui-message-stream'

/** Whether a browser asks if a page may send a request. */
export function isPreflight(context: ServerContext): boolean {
  return context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') !== undefined
}

/** The answer to a preflight of an allowed origin. */
export function preflightResponse(cors: CorsRule, origin: string, context: ServerContext): Response {
  const asked = (context.req.header('access-control-request-headers') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const known = new Set(asked.filter((name) => clientHeader.test(name)).slice(0, maxClientHeaders))
  const headers = [
    ...corsHeaders(cors, origin),
    ['access-control-allow-methods', allowedMethods],
    ['access-control-allow-headers', [...allowedHeaders, ...known].join(', ')],
    ['access-control-max-age', '600'],
    ['vary', 'origin, access-control-request-headers'],
  ] as const
  return new Response(null, { status: 204, headers: Object.fromEntries(headers) })
}

/** The headers of an answer to a page of an allowed origin. */
export function corsHeaders(cors: CorsRule, origin: string): [string, string][] {
  const headers: [string, string][] = [
    ['access-control-allow-origin', cors.origins === '*' ? '*' : origin],
    ['access-control-expose-headers', exposedHeaders],
  ]
  if (cors.credentials) headers.push(['access-control-allow-credentials', 'true'])
  return headers
}

function toOrigins(cors: CorsOptions): { origins: string | readonly string[]; credentials?: boolean } {
  if (typeof cors === 'object' && cors !== null && 'origins' in cors) {
    checkOptionNames(cors, { origins: true, credentials: true }, { code: 'invalid-config', of: 'cors' })
    return cors
  }
  return { origins: cors }
}
