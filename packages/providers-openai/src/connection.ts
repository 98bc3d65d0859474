import { checkAddress, findKey, nodeFetch, nonEmpty, once, requireKey, secretsOf } from '@agentkit/wire'
import type { ClientOptions, OpenAI } from 'openai'

/** Which server is called, and how. */
export type OpenAIOptions = {
  /** Else `LLMPROVIDER_API_KEY`, else `OPENAI_API_KEY`. A server of your own needs none. */
  apiKey?: string | undefined
  /** With `/v1`; else `OPENAI_BASE_URL`, else OpenAI's own. */
  baseURL?: string | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  fetch?: typeof fetch | undefined
  /** An `OpenAI` client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: OpenAI | undefined
  /** `auto` is the Responses API on OpenAI's own server, and Chat Completions on any other. */
  api?: 'auto' | 'responses' | 'chat' | undefined
}

/** Where requests go, and what they carry. */
export type Connection = {
  /** The SDK, loaded at the first call. */
  client(): Promise<OpenAI>
  baseURL: string
  /** Whether this is OpenAI's own server. */
  official: boolean
  api: 'responses' | 'chat'
  /** Values that no error may carry. */
  secrets: readonly string[]
  /** Whether requests leave by our own fetch, which takes `callSignal`. */
  ownFetch: boolean
}

const officialURL = 'https://api.openai.com/v1'
const officialHost = 'api.openai.com'

/**
 * Settles key, address and API from the options and the environment.
 * @throws AgentKitError `missing-key` on OpenAI's own server without a key, `invalid-config` for a key or an address
 *   that cannot be one
 */
export function connect(options: OpenAIOptions): Connection {
  const { client } = options
  const baseURL = client?.baseURL ?? nonEmpty(options.baseURL) ?? nonEmpty(process.env.OPENAI_BASE_URL) ?? officialURL
  const official =
    checkAddress(baseURL, 'baseURL', 'http://localhost:8080/v1', 'openai', 'kept').hostname === officialHost
  const apiKey = client ? nonEmpty(client.apiKey) : keyFor(options, official)
  const api = options.api ?? 'auto'
  return {
    client: client
      ? () => Promise.resolve(client)
      : once(() => createClient({ ...options, apiKey: apiKey ?? noKey, baseURL })),
    baseURL,
    official,
    ownFetch: client === undefined && options.fetch === undefined,
    api: api === 'auto' ? (official ? 'responses' : 'chat') : api,
    secrets: secretsOf(apiKey, options.headers),
  }
}

/** The SDK wants a key even where the server wants none. */
const noKey = 'no-key'

function keyFor({ apiKey }: OpenAIOptions, official: boolean): string | undefined {
  const source = { provider: 'openai', vendor: 'OpenAI', variables: ['LLMPROVIDER_API_KEY', 'OPENAI_API_KEY'] }
  return official ? requireKey(apiKey, source) : findKey(apiKey, source)
}

async function createClient({ apiKey, baseURL, headers, fetch = nodeFetch }: OpenAIOptions): Promise<OpenAI> {
  const { OpenAI } = await import('openai')
  const options: ClientOptions = { apiKey, baseURL, maxRetries: 0, fetch }
  if (headers) options.defaultHeaders = headers
  return new OpenAI(options)
}
