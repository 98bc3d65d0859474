import { AgentKitError } from '@agentkit/core'
import { nodeFetch } from '@agentkit/wire'
import type { ClientOptions, OpenAI } from 'openai'

/** Which server is called, and how. */
export type OpenAIOptions = {
  /** Else `LLMPROVIDER_API_KEY`, else `OPENAI_API_KEY`. A server of your own needs none. */
  apiKey?: string
  /** With `/v1`; else `OPENAI_BASE_URL`, else OpenAI's own. */
  baseURL?: string
  /** Sent with every request. */
  headers?: Record<string, string>
  fetch?: typeof fetch
  /** An `OpenAI` client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: OpenAI
  /** `auto` is the Responses API on OpenAI's own server, and Chat Completions on any other. */
  api?: 'auto' | 'responses' | 'chat'
}

/** Where requests go, and what they carry. */
export type Connection = {
  /** The SDK, loaded at the first call. */
  client(): Promise<OpenAI>
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
  const baseURL = client?.baseURL ?? given(options.baseURL) ?? given(process.env.OPENAI_BASE_URL) ?? officialURL
  const official = hostOf(baseURL) === officialHost
  const apiKey = client ? given(client.apiKey) : keyFor(options, official)
  const api = options.api ?? 'auto'
  return {
    client: client ? () => Promise.resolve(client) : clientOnce({ ...options, apiKey: apiKey ?? noKey, baseURL }),
    official,
    ownFetch: client === undefined && options.fetch === undefined,
    api: api === 'auto' ? (official ? 'responses' : 'chat') : api,
    secrets: [apiKey, ...secretHeaders(options.headers)].filter((secret) => secret !== undefined),
  }
}

/** The SDK wants a key even where the server wants none. */
const noKey = 'no-key'

function keyFor(options: OpenAIOptions, official: boolean): string | undefined {
  const apiKey = given(options.apiKey) ?? given(process.env.LLMPROVIDER_API_KEY) ?? given(process.env.OPENAI_API_KEY)
  if (apiKey === undefined) {
    if (!official) return undefined
    throw new AgentKitError(
      'missing-key',
      'No key for OpenAI. Set LLMPROVIDER_API_KEY or OPENAI_API_KEY, or pass apiKey.',
      { provider: 'openai' },
    )
  }
  if (printable.test(apiKey)) return apiKey
  throw new AgentKitError(
    'invalid-config',
    'The key for OpenAI has characters that no key has (a space, a line break, a typographic dash?). Copy it again.',
    { provider: 'openai' },
  )
}

const printable = /^[\x21-\x7e]+$/

function hostOf(baseURL: string): string {
  const url = URL.parse(baseURL)
  if (url) return url.hostname
  throw new AgentKitError(
    'invalid-config',
    `The baseURL "${baseURL}" is no address. It looks like http://localhost:8080/v1.`,
    { provider: 'openai' },
  )
}

function clientOnce(options: OpenAIOptions): () => Promise<OpenAI> {
  let loading: Promise<OpenAI> | undefined
  return () => {
    loading ??= createClient(options).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

async function createClient({ apiKey, baseURL, headers, fetch = nodeFetch }: OpenAIOptions): Promise<OpenAI> {
  const { OpenAI } = await import('openai')
  const options: ClientOptions = { apiKey, baseURL, maxRetries: 0, fetch }
  if (headers) options.defaultHeaders = headers
  return new OpenAI(options)
}

const secretHeader = /key|token|auth|secret|cookie/i

function secretHeaders(headers: Record<string, string> = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (secretHeader.test(name) ? [value] : []))
}

function given(value: string | null | undefined): string | undefined {
  return value?.trim() || undefined
}
