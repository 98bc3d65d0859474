import { callSignal, type NodeFetchInit } from './node-fetch.ts'

/** A client that Stainless generated: those of OpenAI, Azure, Anthropic and Groq. */
export interface PostingClient {
  // The SDKs type these options each in its own way.
  post(path: string, options: never): { asResponse(): Promise<Response> }
}

export type PostOptions = {
  signal: AbortSignal
  /** Whether the client sends by `nodeFetch`, which takes `callSignal`. */
  ownFetch: boolean
  headers?: Record<string, string>
}

/**
 * What `create(body)` of such a client sends, serialised at once: the SDK's own way calls back for every value of the
 * conversation. Retries are core's, and the timers are ours: the SDK's own only cover the time to the headers.
 */
export function postForStream(
  client: PostingClient,
  path: string,
  body: object,
  { signal, ownFetch, headers }: PostOptions,
): Promise<Response> {
  // The SDK hands on what it does not know.
  const init: NodeFetchInit = { [callSignal]: signal }
  const options = {
    ...(ownFetch ? { fetchOptions: init } : { signal }),
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
    stream: true,
    maxRetries: 0,
    timeout: 2_147_483_647,
  }
  return client.post(path, options as never).asResponse()
}
