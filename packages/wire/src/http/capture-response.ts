import { failureOfBody, RefusedRequest } from '../errors/failure.ts'
import { parseJSON } from '../util/json.ts'
import { callSignal, type NodeFetchInit, nodeFetch } from './node-fetch.ts'

export type CaptureOptions = {
  signal: AbortSignal
  /** How requests leave; over `node:http` when absent. */
  fetch?: typeof fetch | undefined
  /** What the SDK wants to see of an answer that it is not given: the type of an empty one. */
  contentType?: string
}

/**
 * Lets an SDK make a request, with its address, key and headers, and takes the answer itself for ourselves: some SDKs
 * only hand out what they made of it, and lose lines, errors and headers on the way.
 *
 * @param call makes the SDK's call through the `fetch` that it is given; what it makes of the answer is thrown away
 * @throws RefusedRequest for a status that is no success; else what the call throws before it asks
 * @example
 * const response = await captureResponse((fetch) => new Ollama({ host, fetch }).chat(body), { signal })
 */
export async function captureResponse(
  call: (fetch: typeof globalThis.fetch) => Promise<unknown>,
  { signal, fetch = nodeFetch, contentType = 'text/event-stream' }: CaptureOptions,
): Promise<Response> {
  let taken: Response | undefined
  let refused: RefusedRequest | undefined
  const refusing = throwingFetch(signal, fetch)
  const takingFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    taken = await refusing(input, init).catch((error: unknown) => {
      if (error instanceof RefusedRequest) refused = error
      throw error
    })
    return new Response('', { headers: { 'content-type': contentType } })
  }
  try {
    await call(takingFetch)
  } catch (error) {
    // What the SDK makes of the empty answer is of no interest.
    if (!taken) throw refused ?? error
  }
  if (taken) return taken
  throw refused ?? new Error('The SDK made no request.')
}

/**
 * A `fetch` for one call of an SDK that keeps little of a refusal: it throws all of it.
 * @throws RefusedRequest for a status that is no success
 */
export function throwingFetch(
  signal: AbortSignal,
  fetch: typeof globalThis.fetch = nodeFetch,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await send(fetch, input, init, signal).catch((error: unknown) => {
      // A fetch of the user's fails as it likes: that no answer came is all that counts.
      throw signal.aborted ? error : new TypeError('fetch failed', { cause: error })
    })
    if (response.ok) return response
    throw await refusalOf(response)
  }
}

/** Some SDKs make a `Request`, which our own fetch would have to leave to the web's. */
async function send(
  fetch: typeof globalThis.fetch,
  input: string | URL | Request,
  init: RequestInit | undefined,
  signal: AbortSignal,
): Promise<Response> {
  if (!(input instanceof Request)) {
    const sent: NodeFetchInit = fetch === nodeFetch ? { ...init, [callSignal]: signal } : { ...init, signal }
    return fetch(input, sent)
  }
  const { method, headers, url } = input
  const body = await input.text()
  return send(fetch, url, { method, headers, ...(body !== '' && { body }) }, signal)
}

/**
 * The `fetch` for an SDK that reads the body of an error whole: ours, or a user's whose error bodies are cut.
 * @param fetch the user's, if there is one
 */
export function sdkFetch(fetch: typeof globalThis.fetch | undefined): typeof globalThis.fetch {
  if (fetch === undefined) return nodeFetch
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok || !response.body) return response
    const { status, statusText, headers } = response
    return new Response(await beginningOf(response), { status, statusText, headers })
  }
}

/** How much of a refusal is kept, in characters. */
const longestRefusal = 65_536

async function refusalOf(response: Response): Promise<RefusedRequest> {
  const text = await beginningOf(response)
  const failure = failureOfBody(parseJSON(text) ?? (text || 'it gave no reason.'))
  return new RefusedRequest({ ...failure, status: response.status, headers: response.headers, body: text })
}

/** No more is read than is kept: a fetch of the user's may hand out a body without an end. */
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
