import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { keepingAgent, noteIdleLimit } from './kept-connections.ts'
import { NodeResponse } from './node-response.ts'
import { isFetchUntouched } from './untouched-fetch.ts'

/**
 * The key of a signal in `init` that is used in place of `signal`. An SDK that is given a signal merges it with one of
 * its own, which costs as much as building the request; one that only hands `init` on does not see this.
 */
export const callSignal: unique symbol = Symbol('agentkit.callSignal')

export type NodeFetchInit = RequestInit & { [callSignal]?: AbortSignal }

/**
 * `fetch` over `node:http`: what the web layer of `fetch` costs is more than half of a model call.
 *
 * It does what a model call needs: a body of text, any status, streams, compression, abort, connections that are kept.
 * Whatever else is asked for, redirects within an origin, and every call where somebody has put another `fetch`, a proxy or a dispatcher
 * in place, or where this is not Node, goes to the global `fetch`.
 *
 * A request is sent once. Only one of which no byte has left, because its kept connection was closed meanwhile, leaves by
 * another connection: what a server has read it may have answered, and charged for.
 *
 * A body that nobody reads is taken as far as 64 kB, so that a short one frees its connection; a longer one holds it
 * until it is cancelled or the signal aborts.
 *
 * @throws TypeError as `fetch` does, with what `node:http` says as its `cause`; the signal's reason when it aborts
 */
export async function nodeFetch(input: string | URL | Request, init: NodeFetchInit = {}): Promise<Response> {
  const signal = init[callSignal] ?? init.signal ?? undefined
  const url = addressOf(input)
  const transport = url && transportOf(url)
  if (!transport || !isPlain(init) || !isFetchUntouched()) return webFetch(input, init, signal)
  const { redirect } = init
  const response = await send({ url, signal, redirect, http: transport.http, ...requestOf(url, transport, init) })
  return response ?? webFetch(input, init, signal)
}

function webFetch(
  input: string | URL | Request,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Response> {
  return globalThis.fetch(input, signal ? { ...init, signal } : init)
}

let lastURL: URL | undefined

/** Calls mostly go where the last one went. `fetch` takes no user and password, and says so better than we would. */
function addressOf(input: string | URL | Request): URL | undefined {
  if (typeof input !== 'string' && !(input instanceof URL)) return undefined
  const address = String(input)
  if (lastURL?.href !== address) lastURL = new URL(address)
  return lastURL.username || lastURL.password ? undefined : lastURL
}

const understood: ReadonlySet<string> = new Set(['method', 'headers', 'body', 'signal', 'redirect', 'duplex'])
const withoutBody = /^(?:get|head)$/i

type PlainInit = NodeFetchInit & { body?: string | null }

function isPlain(init: NodeFetchInit): init is PlainInit {
  const { body, method = 'GET' } = init
  if (body != null && (typeof body !== 'string' || withoutBody.test(method))) return false
  return Object.entries(init).every(([key, value]) => understood.has(key) || value == null)
}

type HTTP = Pick<typeof import('node:http'), 'request' | 'Agent'>
type Transport = { http: HTTP; agent: Agent }

const transports = new Map<string, Transport>()

/** Loaded when first needed. Asked for `request` at each call: tracers and test doubles put theirs into the module. */
function transportOf({ protocol }: URL): Transport | undefined {
  const known = transports.get(protocol)
  if (known || (protocol !== 'http:' && protocol !== 'https:')) return known
  const http: HTTP | undefined = globalThis.process?.getBuiltinModule?.(
    protocol === 'http:' ? 'node:http' : 'node:https',
  )
  if (!http) return undefined
  const transport = { http, agent: keepingAgent(http) }
  transports.set(protocol, transport)
  return transport
}

/** One exchange; without an agent, by a connection of its own. */
type Call = {
  url: URL
  http: HTTP
  options: RequestOptions
  body: Buffer | undefined
  signal: AbortSignal | undefined
  redirect: RequestRedirect | undefined
}

function requestOf(
  { hostname, port, pathname, search }: URL,
  { agent }: Transport,
  { method = 'GET', headers, body }: PlainInit,
): Pick<Call, 'options' | 'body'> {
  const fields = Object.fromEntries(headers instanceof Headers ? headers : new Headers(headers))
  // As bytes: Node puts text behind the headers, and encodes them both as UTF-8.
  const bytes = body == null ? undefined : Buffer.from(body)
  if (bytes) {
    // Node gives a length only to methods that it expects a body of; without one, a body is taken for the next request.
    fields['content-length'] = String(bytes.byteLength)
    delete fields['transfer-encoding']
  }
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return {
    options: { agent, method, hostname: host, port, path: pathname + search, headers: fields },
    body: bytes,
  }
}

/** How many kept connections are tried: of those that a server closed at once, more may be in the pool. */
const mostKept = 3

/** @returns nothing for a redirect, which is left to `fetch` */
async function send(call: Call): Promise<NodeResponse | undefined> {
  for (let tries = 0; ; tries++) {
    try {
      return await sendOnce(tries < mostKept ? call : { ...call, options: { ...call.options, agent: false } })
    } catch (error) {
      if (!(error instanceof UnsentRequest) || tries === mostKept) throw error
    }
  }
}

/** A kept connection ended before a byte of the request was written to it. */
class UnsentRequest extends TypeError {}

/** Kept from the start: tests put timers that stand still in its place. */
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
      // Made at once: a connection whose answer has come whole is free before the caller can ask for the next one.
      if (isRedirect(message) && mayFollow(message, url, redirect)) resolve(void message.destroy())
      else resolve(new NodeResponse(message, url.href, signal))
    })
    request.on('error', fail)
    // Comes at the end of every exchange. A server that switches protocols gives neither an answer nor an error.
    request.on('close', () => {
      signal?.removeEventListener('abort', abort)
      if (!answered) fail(new Error('socket hang up'))
    })
    signal?.addEventListener('abort', abort)
    const write = (): void => {
      if (request.destroyed) return
      // Before it: what is handed to the socket may leave, whatever is said afterwards.
      written = true
      request.end(body)
    }
    // The loop first reads that the server has closed a kept connection. A callback of I/O comes after that reading, and
    // the first turn straight after the callback.
    if (request.reusedSocket) nextTurn(() => nextTurn(write))
    else write()
  })
}

/**
 * Whether `fetch` may have a redirect: it takes every header along but `Authorization`, and other servers are sent keys
 * under other names. To another origin nothing goes; the answer is then the redirect itself.
 */
function mayFollow({ headers }: IncomingMessage, url: URL, redirect: RequestRedirect = 'follow'): boolean {
  return redirect !== 'follow' || URL.parse(headers.location ?? '', url)?.origin === url.origin
}

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 301 && statusCode <= 308 && statusCode !== 304 && headers.location !== undefined
}
