import { AgentKitError, type ErrorCode } from '@agentkit/core'
import { connectSdk, type ErrorContext, type Failure, type SdkConnection } from '@agentkit/wire'
import type { OpenAI } from 'openai'

/** Which server to call, and how. */
export type OpenAIOptions = {
  /** Else `LLMPROVIDER_API_KEY`, else `OPENAI_API_KEY`. A server of your own needs none. */
  apiKey?: string | undefined
  /** With `/v1`; else `OPENAI_BASE_URL`, else OpenAI's own. */
  baseURL?: string | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  fetch?: typeof fetch | undefined
  /** What sends the requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default `node`. */
  transport?: 'node' | 'fetch' | undefined
  /** An `OpenAI` client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: OpenAI | undefined
  /** `auto` is the Responses API on OpenAI's own server, and Chat Completions on any other. */
  api?: 'auto' | 'responses' | 'chat' | undefined
}

/** Where requests go, and with which credentials. */
export type Connection = SdkConnection<OpenAI> & { api: 'responses' | 'chat' }

/**
 * Resolves key, address and API from the options and the environment.
 * @throws AgentKitError `missing-key` on OpenAI's own server without a key, `invalid-config` for a key or an address
 *   that cannot be one
 */
export function connect({ transport = 'node', api = 'auto', ...options }: OpenAIOptions): Connection {
  if (transport !== 'node' && transport !== 'fetch') {
    throw new AgentKitError('invalid-config', `\`transport\` is "node" or "fetch", not ${JSON.stringify(transport)}.`)
  }
  const webFetch: typeof fetch = (input, init) => globalThis.fetch(input, init)
  const sending = transport === 'fetch' && options.fetch === undefined ? { ...options, fetch: webFetch } : options
  const connection = connectSdk(sending, {
    key: { provider: 'openai', vendor: 'OpenAI', variables: ['LLMPROVIDER_API_KEY', 'OPENAI_API_KEY'] },
    officialURL: 'https://api.openai.com/v1',
    urlVariable: 'OPENAI_BASE_URL',
    exampleURL: 'http://localhost:8080/v1',
    query: 'kept',
    create: async (settings) => new (await import('openai')).OpenAI(settings),
  })
  return { ...connection, api: api === 'auto' ? (connection.official ? 'responses' : 'chat') : api }
}

/** What the errors of this model contain: hints, and no secrets. */
export function errorContext(model: string, connection: Connection): ErrorContext {
  return {
    provider: 'openai',
    model,
    secrets: connection.secrets,
    hint: (code, failure) => hint(code, failure, connection),
  }
}

function hint(code: ErrorCode, { status, message }: Failure, connection: Connection): string | undefined {
  if (code === 'auth' && status !== 403) return 'Set LLMPROVIDER_API_KEY or OPENAI_API_KEY, or pass apiKey.'
  if (connection.api === 'chat' && wantsResponses.test(message)) return "Set api: 'responses'."
  if (code !== 'bad-request' || status !== 404 || connection.official) return undefined
  if (!/\/v\d/.test(connection.baseURL))
    return `The baseURL of most servers ends in /v1: ${connection.baseURL} does not.`
  return connection.api === 'responses' ? "This server may not have the Responses API: set api: 'chat'." : undefined
}

const wantsResponses = /v1\/responses/
