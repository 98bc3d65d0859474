import { connectSdk, type PerRequest, type SdkConnection, type SettledOptions } from '@agentkit/wire'
import type { Anthropic } from '@anthropic-ai/sdk'

/** Which server to call, and how. */
export type AnthropicOptions = {
  /** Else `ANTHROPIC_API_KEY`. A server of your own needs none. A function is called before each request. */
  apiKey?: PerRequest<string> | undefined
  /** The root, without `/v1`; else `ANTHROPIC_BASE_URL`, else Anthropic's own. */
  baseURL?: string | undefined
  /** Sent with every request. A function is called before each one. */
  headers?: PerRequest<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
  /**
   * The transport of requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default
   * `node`.
   */
  transport?: 'node' | 'fetch' | undefined
  /** An `Anthropic` client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: Anthropic | undefined
}

/** The address and the credentials of requests. */
export type Connection = SdkConnection<Anthropic> & {
  /** The beta features that the user asks for in headers; `undefined` for a client of the user's own. */
  betas: readonly string[] | undefined
}

/**
 * Resolves key and address from the options and the environment.
 * @throws AgentKitError `missing-key` on Anthropic's own server without a key, `invalid-config` for a key or an
 *   address that cannot be one
 */
export function connect(options: SettledOptions<AnthropicOptions>): Connection {
  const connection = connectSdk(options, {
    key: { provider: 'anthropic', vendor: 'Anthropic', variables: ['ANTHROPIC_API_KEY'] },
    officialURL: 'https://api.anthropic.com',
    urlVariable: 'ANTHROPIC_BASE_URL',
    create: async (settings) => new (await import('@anthropic-ai/sdk')).Anthropic({ ...settings, authToken: null }),
    signature: async ({ apiKey }) => ({
      ...{ name: 'Anthropic', version: (await import('@anthropic-ai/sdk/version')).VERSION, variables: 'ANTHROPIC' },
      headers: { 'anthropic-version': '2026-10-21', authorization: `Bearer ${apiKey}` },
    }),
  })
  return { ...connection, betas: options.client ? undefined : betasIn(options.headers) }
}

function betasIn(headers: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (name.toLowerCase() === 'anthropic-beta' ? [value] : []))
}
