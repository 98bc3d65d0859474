import type { Agent, RequestOptions } from 'node:http'
import { tracer } from '@agentkit/core/internal'
import { fetchWithinOrigin } from './fetch-within-origin.ts'
import { isRequest } from './is-request.ts'
import { keepingAgent } from './kept-connections.ts'
import type { RequestBody } from './request-body.ts'
import { type Call, type HTTP, type Redirect, send } from './send-request.ts'
import { isFetchUntouched } from './untouched-fetch.ts'

/**
 * The key of a signal in `init` that replaces `signal`. An SDK merges `signal` with one of its own, which costs as much
 * as building the request; this one it passes on unseen.
 */
export const callSignal: unique symbol = Symbol('agentkit.callSignal')

/** The key of a listener in `init` that receives the sent request. */
export const onRequest: unique symbol = Symbol('agentkit.onRequest')

/** The key of an answer in `init` that has arrived already: nothing is sent. */
export const knownAnswer: unique symbol = Symbol('agentkit.knownAnswer')

/** The parts that all requests to an endpoint share. */
export type KnownRequest = {
  address: string
  /** The headers by names in lower case. */
  headers: Record<string, string>
  redirect?: Redirect | undefined
}

export type NodeFetchInit = RequestInit & {
  [callSignal]?: AbortSignal
  [onRequest]?(sent: KnownRequest): void
  [knownAnswer]?: Promise<Response>
}

/**
 * `fetch` over `node:http`: the web layer of the global `fetch` takes more than half of the time of a model call.
 *
 * It supports the features that a model call needs: text bodies, any status, streams, compression, abort, kept
 * connections. The global `fetch` gets all other requests, redirects within an origin, and every call in a runtime that
 * is not Node or whose global `fetch`, proxy or dispatcher was replaced.
 *
 * A call within a trace has the header `traceparent`.
 *
 * A request is sent once: a server may have processed the part that it has read, and charged for it. Only a request of
 * which no byte was written, because its kept connection was closed, is sent on another connection.
 *
 * Of an unread body 64 kB are buffered, so that a short one frees its connection; a longer one holds it until it is
 * cancelled or the signal aborts.
 *
 * @throws TypeError as `fetch` does, with the error of `node:http` as its `cause`; the signal's reason when it aborts
 */
export async function nodeFetch(input: string | URL | Request, init: NodeFetchInit = {}): Promise<Response> {
  if (init[knownAnswer]) return init[knownAnswer]
  const { headers, redirect } = init
  init[onRequest]?.({ address: String(input), headers: fieldsOf(headers), redirect })
  const signal = init[callSignal] ?? init.signal ?? undefined
  const url = addressOf(input)
  const transport = url && transportOf(url)
  if (!transport || !isPlain(init) || !isFetchUntouched()) return webFetch(input, init, signal)
  const response = await send({ url, signal, redirect, http: transport.http, ...requestOf(url, transport, init) })
  return response ?? webFetch(input, init, signal)
}

/** Sends a body to the address, with the headers, that it was prepared for. */
export type PreparedPost = (body: RequestBody, signal: AbortSignal) => Promise<Response>

/**
 * Prepares requests that differ in their bodies alone: address and headers are worked out once. Each is sent as
 * `nodeFetch` sends it.
 * @returns `undefined` for an address that `nodeFetch` leaves to the global `fetch`
 */
export function preparePost({ address, headers, redirect }: KnownRequest): PreparedPost | undefined {
  const url = addressOf(address)
  const transport = url && transportOf(url)
  if (!transport) return undefined
  const fixed = optionsOf(url, transport, 'POST', headers)
  const hasPlainHeaders = isASCII(headers)
  return async (given, signal) => {
    const trace = traceFields()
    // Node writes a text together with the headers, which it then encodes as UTF-8 too.
    const body = hasPlainHeaders && isASCII(trace) ? given : bytesOf(given)
    const init = (): NodeFetchInit => {
      return { method: 'POST', headers, body: String(body), [callSignal]: signal, ...(redirect && { redirect }) }
    }
    if (!isFetchUntouched()) return nodeFetch(address, init())
    const options = { ...fixed, headers: { ...withLength(fixed.headers, body), ...trace } }
    const response = await send({ url, signal, redirect, http: transport.http, options, body })
    return response ?? webFetch(address, init(), signal)
  }
}

/** The trace that the call belongs to, where the process traces. */
function traceFields(): Readonly<Fields> | undefined {
  return tracer()?.headers()
}

function webFetch(
  input: string | URL | Request,
  given: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const init = traced(input, given)
  return fetchWithinOrigin(input, signal ? { ...init, signal } : init)
}

function traced(input: string | URL | Request, init: RequestInit): RequestInit {
  const fields = traceFields()
  if (!fields) return init
  const headers = new Headers(init.headers ?? (isRequest(input) ? input.headers : undefined))
  for (const [name, value] of Object.entries(fields)) headers.set(name, value)
  return { ...init, headers }
}

let lastURL: URL | undefined

/** Most calls have the address of the last one. The global `fetch` explains that it takes no user and password. */
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

type Transport = { http: HTTP; agent: Agent }

const transports = new Map<string, Transport>()

/**
 * Loads the module when it is first needed. Each call reads `request` again, because tracers and test doubles replace
 * it in the module.
 */
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

function requestOf(
  url: URL,
  transport: Transport,
  { method = 'GET', headers, body }: PlainInit,
): Pick<Call, 'options' | 'body'> {
  const fields = { ...fieldsOf(headers), ...traceFields() }
  // The body is sent as bytes, because these headers may need Latin-1.
  const bytes = body == null ? undefined : Buffer.from(body)
  return { options: optionsOf(url, transport, method, bytes ? withLength(fields, bytes) : fields), body: bytes }
}

type Fields = Record<string, string>

function fieldsOf(headers: RequestInit['headers']): Fields {
  return Object.fromEntries(headers instanceof Headers ? headers : new Headers(headers))
}

/** Node sets a length only for methods that usually have a body; without one, the server reads the body as the next request. */
function withLength({ 'transfer-encoding': _, ...fields }: Fields, body: RequestBody): Fields {
  fields['content-length'] = String(Buffer.byteLength(body))
  return fields
}

function bytesOf(body: RequestBody): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body
}

function isASCII(fields: Readonly<Fields> = {}): boolean {
  return Object.values(fields).every((value) => /^[\x20-\x7e]*$/.test(value))
}

function optionsOf(
  { hostname, port, pathname, search }: URL,
  { agent }: Transport,
  method: string,
  headers: Fields,
): RequestOptions & { headers: Fields } {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return { agent, method, hostname: host, port, path: pathname + search, headers }
}
