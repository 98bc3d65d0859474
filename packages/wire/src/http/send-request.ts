import type { IncomingMessage, RequestOptions } from 'node:http'
import { isDoubtful, noteIdleLimit } from './kept-connections.ts'
import { NodeResponse } from './node-response.ts'
import type { RequestBody } from './request-body.ts'

/** Named by a member, as projects without the `dom` library have no `RequestRedirect`. */
export type Redirect = NonNullable<RequestInit['redirect']>

export type HTTP = Pick<typeof import('node:http'), 'request' | 'Agent'>

/** One request; without an agent it gets a connection of its own. */
export type Call = {
  url: URL
  http: HTTP
  options: RequestOptions
  body: RequestBody | undefined
  signal: AbortSignal | undefined
  redirect: Redirect | undefined
}

/** How many kept connections are tried: a server may have closed several at once. */
const mostKept = 3

/** Sends a request. @returns `undefined` for a redirect that the global `fetch` follows */
export async function send(call: Call): Promise<NodeResponse | undefined> {
  for (let tries = 0; ; tries++) {
    try {
      return await sendOnce(tries < mostKept ? call : { ...call, options: { ...call.options, agent: false } })
    } catch (error) {
      if (!(error instanceof UnsentRequest) || tries === mostKept) throw error
    }
  }
}

/** A kept connection closed before a byte of the request was written to it. */
class UnsentRequest extends TypeError {}

/** Captured here: fake timers in tests replace the global. */
const { setImmediate: nextTurn } = globalThis

function sendOnce({ url, http, options, body, signal, redirect }: Call): Promise<NodeResponse | undefined> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const request = http.request(options)
    let written = false
    let answered = false
    const abort = (): void => void request.destroy()
    const fail = (error: Error): void => {
      signal?.removeEventListener('abort', abort)
      if (signal?.aborted) reject(signal.reason)
      else reject(new (written ? TypeError : UnsentRequest)('fetch failed', { cause: error }))
    }
    request.on('response', (message) => {
      answered = true
      noteIdleLimit(message)
      // At once: the connection of a complete response is then free before the caller sends the next request.
      if (isRedirect(message) && mayFollow(message, url, redirect)) resolve(void message.destroy())
      else resolve(new NodeResponse(message, url.href, signal))
    })
    request.on('error', fail)
    // Emitted at the end of every request. A server that switches protocols causes neither a response nor an error.
    request.on('close', () => {
      signal?.removeEventListener('abort', abort)
      if (!answered) fail(new Error('socket hang up'))
    })
    signal?.addEventListener('abort', abort)
    const write = (): void => {
      if (request.destroyed) return
      // Before `end`: bytes may leave the socket even if it reports an error later.
      written = true
      request.end(body)
    }
    // The event loop must first read that the server has closed a kept connection: the callbacks of I/O run before the
    // second `setImmediate`.
    if (isDoubtful(request)) nextTurn(() => nextTurn(write))
    else write()
  })
}

/**
 * Whether the global `fetch` gets a redirect, to follow it or to refuse it. To another origin it would drop only
 * `Authorization`, and send keys in other headers; the response is then the redirect itself, as for a caller that reads
 * redirects.
 */
function mayFollow({ headers }: IncomingMessage, url: URL, redirect: Redirect = 'follow'): boolean {
  if (redirect === 'manual') return false
  return redirect === 'error' || URL.parse(headers.location ?? '', url)?.origin === url.origin
}

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 301 && statusCode <= 308 && statusCode !== 304 && headers.location !== undefined
}
