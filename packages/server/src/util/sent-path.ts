import type { ServerContext } from './server-env.ts'

/** The path of a request as its client has sent it: with the prefix that `use` of Express or `mount` of Hono has removed. */
export function sentPath(context: ServerContext): string {
  const { pathname } = new URL(context.req.url)
  // Node's request: `url` is as it was sent, or, below Express, without `baseUrl`.
  const { url = '', baseUrl } = (context.env?.incoming ?? {}) as { url?: string; baseUrl?: unknown }
  const [sent = ''] = url.split('?', 1)
  const whole = typeof baseUrl === 'string' ? baseUrl + sent : sent
  // Not of another host: a path that begins with two slashes.
  return whole.endsWith(pathname) && /^\/[^/\\]/.test(whole) ? whole : pathname
}
