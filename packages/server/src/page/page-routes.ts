import { Buffer } from 'node:buffer'
import { systemCode } from '@agentkit/core/internal'
import type { Hono } from 'hono'
import { ProblemError } from '../answer/problem.ts'
import { compressed } from '../util/compressed.ts'
import { localPath } from '../util/local-path.ts'
import type { ServerContext, ServerEnv } from '../util/server-env.ts'
import type { PageFile, PageFiles } from './page-files.ts'

/**
 * The page may run its own script, which sanitizes HTML, and call this server. `data:` allows the images of answers.
 */
export const pagePolicy: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ')

/**
 * Serves the page at `/` and its files by their exact names, all without a token. Unknown names are left to the routes
 * that follow, and so is everything when the page is switched off.
 *
 * @param options.load reads the built files
 */
export function mountPage(
  app: Hono<ServerEnv>,
  { isServed, load = builtFiles }: { isServed: boolean; load?: () => Promise<PageFiles | undefined> },
): void {
  if (!isServed) {
    // The page needs no token, and neither does its absence.
    app.get('/', (context) => context.notFound())
    return
  }
  // Below a path of another app, `/` is the path without its slash.
  app.on('GET', ['/', '/*'], async (context, next) => {
    if (localPath(context) !== '/') return next()
    const page = (await load())?.['index.html']
    if (!page)
      return context.html(notBuilt, 503, { 'content-security-policy': "default-src 'none'", 'retry-after': '5' })
    const { protocol, hostname } = new URL(context.req.url)
    const address = addressOf(context)
    // The page refers to everything relatively, so its own address must end in a slash.
    if (!address.endsWith('/')) return context.redirect(`${address.slice(address.lastIndexOf('/') + 1)}/`)
    const isEncrypted = protocol === 'https:' || context.req.header('x-forwarded-proto')?.trim() === 'https'
    const isTrustworthy = isEncrypted || /^(?:(?:.*\.)?localhost|127\..*|\[::1\])$/.test(hostname)
    return send(context, page, {
      'cache-control': 'no-cache',
      'content-security-policy': pagePolicy,
      vary: 'accept-encoding, sec-fetch-site',
      // Browsers ignore it where others could change what they receive, and report that as an error. An address that a
      // person has opened has no opener, and the process that the browser starts for the header takes longer than the page.
      ...(isTrustworthy &&
        context.req.header('sec-fetch-site') !== 'none' && { 'cross-origin-opener-policy': 'same-origin' }),
    })
  })
  app.use('/assets/*', async (context, next) => {
    const name = localPath(context).slice(1)
    const isRead = context.req.method === 'GET' || context.req.method === 'HEAD'
    const files = isRead ? await load() : undefined
    const file = files && Object.hasOwn(files, name) && name !== 'index.html' ? files[name] : undefined
    // The name has a hash of the content.
    if (file) return send(context, file, { 'cache-control': 'public, max-age=31536000, immutable' })
    return next()
  })
}

/** The path of the page as its client has sent it: `use` of Express and `mount` of Hono pass on `/` for `/agent`. */
function addressOf(context: ServerContext): string {
  const { pathname } = new URL(context.req.url)
  // Node's request. Express keeps there, as `originalUrl`, what it has removed from `url`.
  const { url, originalUrl = url } = (context.env?.incoming ?? {}) as { url?: unknown; originalUrl?: unknown }
  const [sent = ''] = String(originalUrl).split('?', 1)
  // Not of another host: a path that begins with two slashes.
  return pathname === '/' && /^\/[^/\\]/.test(sent) ? sent : pathname
}

/** The answer to other methods of the page. The caller has a token if the server needs one. */
export function otherMethod({ req }: ServerContext): Response {
  const headers = { allow: 'GET, HEAD, OPTIONS' }
  if (req.method === 'OPTIONS') return new Response(null, { status: 204, headers })
  throw new ProblemError('method-not-allowed', { headers })
}

/** @returns `undefined` if the page of the sources is not built yet */
async function builtFiles(): Promise<PageFiles | undefined> {
  try {
    return (await import('#page')).files
  } catch (error) {
    if (systemCode(error) === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

const notBuilt = `<!doctype html>
<html lang="en">
<title>The page is not built</title>
<h1>The page is not built yet</h1>
<p>Run <code>npm run page</code> in the folder of the repository, and load this page again.
Everything else of the server works: see <a href="docs">the documentation of its routes</a>.</p>
</html>
`

function send(context: ServerContext, { type, hash, gzip }: PageFile, headers: Record<string, string>): Response {
  // Weak: the encodings of the content share it.
  const etag = `W/"${hash}"`
  if (matches(context.req.header('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers: { vary: 'accept-encoding', ...headers, etag } })
  }
  return compressed(context, new Uint8Array(Buffer.from(gzip, 'base64')), { ...headers, etag, 'content-type': type })
}

function matches(header: string | undefined, etag: string): boolean {
  const known = header?.split(',').map((one) => one.trim().replace(/^(?:W\/)?/, 'W/')) ?? []
  return known.includes(etag) || known.includes('W/*')
}
