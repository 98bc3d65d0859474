import { checkAddress, findKey, nodeFetch, nonEmpty, once, requireKey, secretsOf } from '@agentkit/wire'
import type { Anthropic, ClientOptions } from '@anthropic-ai/sdk'

/** Which server is called, and how. */
export type AnthropicOptions = {
  /** Else `ANTHROPIC_API_KEY`. A server of your own needs none. */
  apiKey?: string | undefined
  /** The root, without `/v1`; else `ANTHROPIC_BASE_URL`, else Anthropic's own. */
  baseURL?: string | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  fetch?: typeof fetch | undefined
  /** An `Anthropic` client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: Anthropic | undefined
}

/** Where requests go, and what they carry. */
export type Connection = {
  /** The SDK, loaded at the first call. */
  client(): Promise<Anthropic>
  baseURL: string
  /** The beta features that the user asks for in headers; `undefined` where the client's headers are not ours to know. */
  betas: readonly string[] | undefined
  /** Values that no error may carry. */
  secrets: readonly string[]
  /** Whether requests leave by our own fetch, which takes `callSignal`. */
  ownFetch: boolean
}

const officialURL = 'https://api.anthropic.com'
const officialHost = 'api.anthropic.com'

/**
 * Settles key and address from the options and the environment.
 * @throws AgentKitError `missing-key` on Anthropic's own server without a key, `invalid-config` for a key or an
 *   address that cannot be one
 */
export function connect(options: AnthropicOptions): Connection {
  const { client, headers } = options
  const baseURL =
    client?.baseURL ?? nonEmpty(options.baseURL) ?? nonEmpty(process.env.ANTHROPIC_BASE_URL) ?? officialURL
  const official = checkAddress(baseURL, 'baseURL', officialURL, 'anthropic').hostname === officialHost
  const apiKey = client ? nonEmpty(client.apiKey ?? client.authToken) : keyFor(options, official)
  return {
    client: client
      ? () => Promise.resolve(client)
      : once(() => createClient({ ...options, apiKey: apiKey ?? noKey, baseURL })),
    baseURL,
    betas: client ? undefined : betasIn(headers),
    secrets: secretsOf(apiKey, headers),
    ownFetch: client === undefined && options.fetch === undefined,
  }
}

/** Without a key the SDK would look for one in places of its own. */
const noKey = 'no-key'

function keyFor({ apiKey }: AnthropicOptions, official: boolean): string | undefined {
  const source = { provider: 'anthropic', vendor: 'Anthropic', variables: ['ANTHROPIC_API_KEY'] }
  return official ? requireKey(apiKey, source) : findKey(apiKey, source)
}

function betasIn(headers: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (name.toLowerCase() === 'anthropic-beta' ? [value] : []))
}

async function createClient({ apiKey, baseURL, headers, fetch = nodeFetch }: AnthropicOptions): Promise<Anthropic> {
  const { Anthropic } = await import('@anthropic-ai/sdk')
  const options: ClientOptions = { apiKey, authToken: null, baseURL, maxRetries: 0, fetch }
  if (headers) options.defaultHeaders = headers
  return new Anthropic(options)
}
