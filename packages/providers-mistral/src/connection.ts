import {
  captureResponse,
  checkAddress,
  chosenFetch,
  findKey,
  nonEmpty,
  once,
  type PerRequest,
  requireKey,
  type SettledOptions,
  secretsOf,
} from '@agentkit/wire'
import type { MistralCore } from '@mistralai/mistralai/core.js'
import type { HTTPClient } from '@mistralai/mistralai/lib/http.js'
import type { RequestOptions } from '@mistralai/mistralai/lib/sdks.js'
import type { Result } from '@mistralai/mistralai/types/fp.js'

/** Which server to call, and how. */
export type MistralOptions = {
  /** Else `MISTRAL_API_KEY`. A server of your own needs none. A function is called before each request. */
  apiKey?: PerRequest<string> | undefined
  /** The root, without `/v1`; else Mistral's own. */
  baseURL?: string | undefined
  /** Sent with every request. A function is called before each one. */
  headers?: PerRequest<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
  /**
   * The transport of requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default
   * `node`.
   */
  transport?: 'node' | 'fetch' | undefined
  /** A `Mistral` client of your own, used as it is: it brings its key, address, hooks and HTTP client. */
  client?: MistralCore | undefined
}

/** The address and the credentials of requests. */
export type Connection = {
  /** Loads the SDK. */
  load(): Promise<unknown>
  /** Makes one request by a function of the SDK, and returns its answer unread. */
  send(call: SdkCall, signal: AbortSignal): Promise<Response>
  /** The address that was given. */
  baseURL: string | undefined
  /** Values that no error may carry. */
  secrets: readonly string[]
}

/** A standalone function of the SDK, with its request. */
export type SdkCall = (client: MistralCore, options: RequestOptions) => Promise<Result<unknown, unknown>>

/**
 * Resolves key and address from the options and the environment.
 * @throws AgentKitError `missing-key` on Mistral's own servers without a key, `invalid-config` for a key or an address
 *   that cannot be one
 */
export function connect(options: SettledOptions<MistralOptions>): Connection {
  const { client, headers } = options
  const baseURL = nonEmpty(options.baseURL)
  const apiKey = client ? keyOf(client) : keyFor(options, baseURL)
  const settings: ClientSettings = client
    ? client._options
    : { ...(apiKey !== undefined && { apiKey }), ...(baseURL !== undefined && { serverURL: baseURL }) }
  const fetch = client ? fetchOf(client) : chosenFetch(options)
  return {
    load: sdk,
    send: (call, signal) => send(call, settings, { signal, fetch, headers: client ? undefined : headers }),
    baseURL,
    secrets: secretsOf(apiKey, headers),
  }
}

type ClientSettings = MistralCore['_options']

function keyFor({ apiKey }: SettledOptions<MistralOptions>, baseURL: string | undefined): string | undefined {
  const source = { provider: 'mistral', vendor: 'Mistral', variables: ['MISTRAL_API_KEY'] }
  if (baseURL === undefined) return requireKey(apiKey, source)
  const { hostname } = checkAddress(baseURL, 'baseURL', 'https://api.mistral.ai', 'mistral')
  return hostname.endsWith('.mistral.ai') ? requireKey(apiKey, source) : findKey(apiKey, source)
}

function keyOf({ _options: { apiKey } }: MistralCore): string | undefined {
  return typeof apiKey === 'function' ? undefined : (nonEmpty(apiKey) ?? nonEmpty(process.env.MISTRAL_API_KEY))
}

/** The user's own HTTP client with its hooks; `undefined` for a client without one. */
function fetchOf({ _options: { httpClient } }: MistralCore): typeof fetch | undefined {
  if (!httpClient) return undefined
  return (input, init) => httpClient.request(new Request(input, init))
}

type SendOptions = {
  signal: AbortSignal
  fetch: typeof fetch | undefined
  headers: Record<string, string> | undefined
}

/** The SDK reports error frames as schema errors, and drops unknown fields: so our reader reads the answer. */
async function send(call: SdkCall, settings: ClientSettings, options: SendOptions): Promise<Response> {
  const { signal, fetch, headers } = options
  const { MistralCore, HTTPClient } = await sdk()
  return captureResponse(
    async (fetcher) => {
      const client = new MistralCore({ ...settings, httpClient: new HTTPClient({ fetcher }) })
      const requestOptions: RequestOptions = { signal, retries: { strategy: 'none' }, ...(headers && { headers }) }
      const result = await call(client, requestOptions)
      if (!result.ok) throw result.error
    },
    { signal, fetch },
  )
}

type Sdk = { MistralCore: typeof MistralCore; HTTPClient: typeof HTTPClient }

/** The core of the SDK alone loads in less than half the time of the whole. */
const sdk: () => Promise<Sdk> = once(async () => {
  const [{ MistralCore }, { HTTPClient }] = await Promise.all([
    import('@mistralai/mistralai/core.js'),
    import('@mistralai/mistralai/lib/http.js'),
  ])
  return { MistralCore, HTTPClient }
})
