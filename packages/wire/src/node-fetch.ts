import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { NodeResponse } from './node-response.ts'

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
 * Whatever else is asked for, or where somebody has put another `fetch`, a proxy or a dispatcher in place, and on
 * runtimes other than Node, it is the global `fetch`.
 *
 * @throws Error as `node:http` gives it, with its `code`; the signal's reason when it aborts
 */
export async function nodeFetch(input: string | URL | Request, init: NodeFetchInit = {}): Promise<Response> {
  const { body, signal = init.signal } = { ...init, signal: init[callSignal] }
  const plain = (typeof input === 'string' || input instanceof URL) && (body == null || typeof body === 'string')
  signal?.throwIfAborted()
  if (!plain || !isNodeItself()) return webFetch(input, init, signal)
  const url = parsed(String(input))
  const transport = await transportOf(url)
  if (!transport) return webFetch(input, init, signal)
  const options: RequestOptions = {
    agent: transport.agent,
    method: init.method ?? 'GET',
    hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port,
    path: url.pathname + url.search,
    headers: Object.fromEntries(new Headers(init.headers)),
  }
  const message = await send(transport, options, body ?? undefined, signal ?? undefined)
  if (!isRedirect(message)) return toResponse(new NodeResponse(message, url.href))
  message.destroy()
  return webFetch(input, init, signal)
}

function webFetch(
  input: string | URL | Request,
  init: RequestInit,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  return globalThis.fetch(input, { ...init, signal: signal ?? null })
}

type Transport = { request: typeof import('node:http').request; agent: Agent }

const transports = new Map<string, Promise<Transport>>()

/** Loaded when first needed; connections are kept for the next call. */
function transportOf({ protocol }: URL): Promise<Transport> | undefined {
  const known = transports.get(protocol)
  if (known !== undefined) return known
  const load = loaders[protocol]
  if (!load) return undefined
  const loading = load().then(({ request, Agent }) => ({
    request,
    agent: new Agent({ keepAlive: true, scheduling: 'lifo' }),
  }))
  transports.set(protocol, loading)
  return loading
}

const loaders: Record<string, (() => Promise<Pick<typeof import('node:http'), 'request' | 'Agent'>>) | undefined> = {
  'http:': () => import('node:http'),
  'https:': () => import('node:https'),
}

async function send(
  transport: Transport,
  options: RequestOptions,
  body: string | undefined,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  try {
    return await sendOnce(transport, options, body, signal)
  } catch (error) {
    // A kept connection that the server closed just then: nothing was answered, and a new one will do.
    if (!(error instanceof StaleConnection)) throw error
    return await sendOnce(transport, options, body, signal)
  }
}

class StaleConnection extends Error {}

function sendOnce(
  { request: makeRequest }: Transport,
  options: RequestOptions,
  body: string | undefined,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = makeRequest(options)
    let bytesBefore = 0
    const abort = (): void => void request.destroy()
    const fail = (error: NodeJS.ErrnoException): void => {
      signal?.removeEventListener('abort', abort)
      const unanswered = request.reusedSocket && request.socket?.bytesRead === bytesBefore
      if (signal?.aborted) reject(signal.reason)
      else reject(unanswered && brokenSocket.has(error.code ?? '') ? new StaleConnection() : error)
    }
    request.on('socket', (socket) => {
      bytesBefore = socket.bytesRead
    })
    request.on('error', fail)
    request.on('response', (message) => {
      message.once('close', () => signal?.removeEventListener('abort', abort))
      resolve(message)
    })
    signal?.addEventListener('abort', abort)
    request.end(body)
  })
}

const brokenSocket: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 301 && statusCode <= 308 && statusCode !== 304 && headers.location !== undefined
}

let lastURL: URL | undefined

/** Calls mostly go where the last one went. */
function parsed(address: string): URL {
  if (lastURL?.href !== address) lastURL = new URL(address)
  return lastURL
}

const fetchAtStart = globalThis.fetch
const dispatcherKey = Symbol.for('undici.globalDispatcher.1')

/** Whether a call may leave by Node's own way: nobody has asked for another one. */
function isNodeItself(): boolean {
  if (globalThis.fetch !== fetchAtStart || !usesNoProxy) return false
  const dispatcher = (globalThis as { [dispatcherKey]?: object })[dispatcherKey]
  return dispatcher === undefined || dispatcher.constructor.name === 'Agent'
}

/** Proxies of the environment are Node's to follow, which `fetch` does; they are settled when the process starts. */
const usesNoProxy =
  globalThis.process?.release?.name === 'node' &&
  process.versions.bun === undefined &&
  !process.env.NODE_USE_ENV_PROXY &&
  ![...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((option) => option.includes('--use-env-proxy'))

/** What SDKs and readers use of a response is there; the rest of the type is what nobody asks of a model's answer. */
function toResponse(response: NodeResponse): Response {
  return response as unknown as Response
}
