import { isRequest } from './is-request.ts'

/** The limit of redirects, which is the limit of `fetch`. */
const mostRedirects = 20

/**
 * The global `fetch`, which follows redirects within their origin alone: to another one it would drop only `Authorization`,
 * and send the conversation and the keys in other headers. The response is then the redirect itself.
 *
 * @throws what `fetch` throws; a TypeError for a circle of redirects
 */
export async function fetchWithinOrigin(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { redirect = isRequest(input) ? input.redirect : 'follow' } = init
  if (redirect !== 'follow') return globalThis.fetch(input, init)
  let sent: RequestInit = { ...init, redirect: 'manual' }
  // The body of a `Request` or a stream can be sent only once.
  if (isRequest(input) || sent.body instanceof ReadableStream) return globalThis.fetch(input, sent)
  let address = String(input)
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await globalThis.fetch(address, sent)
    const target = targetOf(response, address)
    if (target === undefined) return response
    await response.body?.cancel()
    address = target
    sent = redirected(sent, response.status)
  }
  throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') })
}

/** The target of a redirect within the origin. */
function targetOf({ status, headers }: Response, address: string): string | undefined {
  if (!redirects.has(status)) return undefined
  const target = URL.parse(headers.get('location') ?? '', address)
  return headers.has('location') && target?.origin === new URL(address).origin ? target.href : undefined
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A POST becomes a GET, as in `fetch`, unless the status requires the same method. */
function redirected(init: RequestInit, status: number): RequestInit {
  const { method = 'GET' } = init
  const becomesGet = status === 303 ? !/^(?:get|head)$/i.test(method) : status < 303 && /^post$/i.test(method)
  if (!becomesGet) return init
  const { body: _body, ...rest } = init
  const headers = new Headers(init.headers)
  for (const name of ['content-encoding', 'content-language', 'content-length', 'content-location', 'content-type']) {
    headers.delete(name)
  }
  return { ...rest, method: 'GET', headers }
}
