import { failureOfBody, RefusedRequest } from '../errors/failure.ts'
import { isRecord, parseJSON } from '../util/json.ts'
import { isRequest } from './is-request.ts'
import { callSignal, type NodeFetchInit, nodeFetch } from './node-fetch.ts'

export type CaptureOptions = {
  signal: AbortSignal
  /** Sends the requests; over `node:http` when absent. */
  fetch?: typeof fetch | undefined
  /** The content type of the empty response that the SDK gets. */
  contentType?: string
}

/**
 * Lets an SDK send a request, with its address, key and headers, and captures the response: some SDKs return only what
 * they parsed, and lose lines, errors and headers.
 *
 * @param call makes the SDK's call with the `fetch` that it gets; its result is ignored
 * @throws RefusedRequest for an unsuccessful status; otherwise the error that the call throws before it sends a request
 * @example
 * const response = await captureResponse((fetch) => new Ollama({ host, fetch }).chat(body), { signal })
 */
export async function captureResponse(
  call: (fetch: typeof globalThis.fetch) => Promise<unknown>,
  { signal, fetch = nodeFetch, contentType = 'text/event-stream' }: CaptureOptions,
): Promise<Response> {
  let captured: Response | undefined
  let refused: RefusedRequest | undefined
  const throwing = throwingFetch(signal, fetch)
  const capturingFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    captured = await throwing(input, init).catch((error: unknown) => {
      if (error instanceof RefusedRequest) refused = error
      throw error
    })
    return new Response('', { headers: { 'content-type': contentType } })
  }
  try {
    await call(capturingFetch)
  } catch (error) {
    // The SDK may fail on the empty response.
    if (!captured) throw refused ?? error
  }
  if (captured) return captured
  throw refused ?? new Error('The SDK made no request.')
}

/**
 * A `fetch` for one call of an SDK that drops most of an error response: it throws all of it.
 * @throws RefusedRequest for an unsuccessful status
 */
export function throwingFetch(
  signal: AbortSignal,
  fetch: typeof globalThis.fetch = nodeFetch,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await send(fetch, input, init, signal).catch((error: unknown) => {
      // A user's fetch may throw anything; it means that there was no response.
      throw signal.aborted ? error : new TypeError('fetch failed', { cause: error })
    })
    if (response.ok) return response
    throw await refusalOf(response)
  }
}

/** Some SDKs pass a `Request`, which `nodeFetch` does not take. */
async function send(
  fetch: typeof globalThis.fetch,
  input: string | URL | Request,
  init: RequestInit | undefined,
  signal: AbortSignal,
): Promise<Response> {
  if (!isRequest(input)) {
    const sent: NodeFetchInit = fetch === nodeFetch ? { ...init, [callSignal]: signal } : { ...init, signal }
    return fetch(input, sent)
  }
  const { method, headers, url } = input
  const body = await input.text()
  return send(fetch, url, { method, headers, ...(body !== '' && { body }) }, signal)
}

/**
 * The `fetch` for an SDK that reads error bodies completely: it bounds them, and keeps the reason that stands beside the name
 * of an error, because the SDK of OpenAI reads only `error`.
 * @param fetch the user's, if there is one; over `node:http` when absent
 */
export function sdkFetch(fetch: typeof globalThis.fetch = nodeFetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { status, statusText, headers } = response
    if (response.ok || !response.body || status === notModified) return response
    const text = withReason(await beginningOf(response))
    const bounded = new Response(text, { status: Math.min(status, highestStatus), statusText, headers })
    return Object.defineProperty(bounded, 'status', { value: status })
  }
}

/** A status whose response has no body. */
const notModified = 304
/** `Response` accepts no higher one, but servers send some. */
const highestStatus = 599

/** `{ error: 'Bad Request', message }` as `{ error: { error, message } }`. */
function withReason(text: string): string {
  const body = parseJSON(text)
  const isApart = isRecord(body) && typeof body.error === 'string' && typeof body.message === 'string'
  return isApart ? JSON.stringify({ error: body }) : text
}

/** How much of an error body is kept, in characters. */
const longestRefusal = 65_536

async function refusalOf(response: Response): Promise<RefusedRequest> {
  const text = await beginningOf(response)
  const failure = failureOfBody(parseJSON(text) ?? (text || 'it gave no reason.'))
  return new RefusedRequest({ ...failure, status: response.status, headers: response.headers, body: text })
}

/** Reads no more than is kept: the body of a user's fetch may be endless. */
async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < longestRefusal) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
  return text.slice(0, longestRefusal)
}
