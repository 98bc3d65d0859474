import { checkAddress, nodeFetch, nonEmpty, once, requireKey, secretsOf } from '@agentkit/wire'
import type { ClientOptions, Groq } from 'groq-sdk'

/** Which server is called, and how. */
export type GroqOptions = {
  /** Else `GROQ_API_KEY`. */
  apiKey?: string | undefined
  /** Without `/openai/v1`; else `GROQ_BASE_URL`, else Groq's own. */
  baseURL?: string | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  fetch?: typeof fetch | undefined
  /** A `Groq` client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: Groq | undefined
}

/** Where requests go, and what they carry. */
export type Connection = {
  /** The SDK, loaded at the first call. */
  client(): Promise<Groq>
  /** Values that no error may carry. */
  secrets: readonly string[]
  /** Whether requests leave by our own fetch, which takes `callSignal`. */
  ownFetch: boolean
}

const officialURL = 'https://api.groq.com'

/**
 * Settles key and address from the options and the environment.
 * @throws AgentKitError `missing-key`, `invalid-config` for a key or an address that cannot be one
 */
export function connect(options: GroqOptions): Connection {
  const { client, headers, fetch } = options
  if (client) {
    return { client: async () => client, secrets: secretsOf(nonEmpty(client.apiKey), headers), ownFetch: false }
  }
  const apiKey = requireKey(options.apiKey, { provider: 'groq', vendor: 'Groq', variables: ['GROQ_API_KEY'] })
  const baseURL = rootOf(nonEmpty(options.baseURL) ?? nonEmpty(process.env.GROQ_BASE_URL) ?? officialURL)
  checkAddress(baseURL, 'baseURL', officialURL, 'groq')
  return {
    client: once(() => createClient({ ...options, apiKey, baseURL })),
    secrets: secretsOf(apiKey, headers),
    ownFetch: fetch === undefined,
  }
}

/** The SDK adds the path; Groq's own documentation gives the address with it, for the clients of OpenAI. */
function rootOf(address: string): string {
  return address.replace(/\/openai\/v1\/?$/, '')
}

async function createClient({ apiKey, baseURL, headers, fetch = nodeFetch }: GroqOptions): Promise<Groq> {
  const { Groq } = await import('groq-sdk')
  const options: ClientOptions = { apiKey, baseURL, maxRetries: 0, fetch }
  if (headers) options.defaultHeaders = headers
  return new Groq(options)
}
