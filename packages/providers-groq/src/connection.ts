import { connectSdk, type PerRequest, type SdkConnection, type SettledOptions } from '@agentkit/wire'
import type { Groq } from 'groq-sdk'

/** Which server to call, and how. */
export type GroqOptions = {
  /** Else `GROQ_API_KEY`. A function is called before each request. */
  apiKey?: PerRequest<string> | undefined
  /** Without `/openai/v1`; else `GROQ_BASE_URL`, else Groq's own. */
  baseURL?: string | undefined
  /** Sent with every request. A function is called before each one. */
  headers?: PerRequest<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
  /**
   * The transport of requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default
   * `node`.
   */
  transport?: 'node' | 'fetch' | undefined
  /** A `Groq` client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: Groq | undefined
}

/** The address and the credentials of requests. */
export type Connection = SdkConnection<Groq>

/**
 * Resolves key and address from the options and the environment.
 * @throws AgentKitError `missing-key`, `invalid-config` for a key or an address that cannot be one
 */
export function connect(options: SettledOptions<GroqOptions>): Connection {
  return connectSdk(options, {
    key: { provider: 'groq', vendor: 'Groq', variables: ['GROQ_API_KEY'] },
    alwaysNeedsKey: true,
    officialURL: 'https://api.groq.com',
    urlVariable: 'GROQ_BASE_URL',
    // The SDK adds the path; Groq's own documentation gives the address with it, for the clients of OpenAI.
    rootOf: (address) => address.replace(/\/openai\/v1\/?$/, ''),
    create: async (settings) => new (await import('groq-sdk')).Groq(settings),
    signature: async ({ apiKey }) => ({
      ...{ name: 'Groq', version: (await import('groq-sdk/version')).VERSION, variables: 'GROQ' },
      headers: { authorization: `Bearer ${apiKey}` },
    }),
  })
}
