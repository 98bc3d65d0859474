import type { ErrorCode } from '@agentkit/core'
import {
  connectSdk,
  type ErrorContext,
  type Failure,
  type PerRequest,
  type SdkConnection,
  type SettledOptions,
} from '@agentkit/wire'
import type { OpenAI } from 'openai'

/** Which server to call, and how. */
export type AcmeOptions = {
  /** Else `ACME_API_KEY`. A function is called before each request. */
  apiKey?: PerRequest<string> | undefined
  /** With `/v1`; else `ACME_BASE_URL`, else Acme's own. */
  baseURL?: string | undefined
  /** Sent with every request. A function is called before each one. */
  headers?: PerRequest<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
  /**
   * The transport of requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default
   * `node`.
   */
  transport?: 'node' | 'fetch' | undefined
  /** A client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: OpenAI | undefined
}

/** The address and the credentials of requests. */
export type Connection = SdkConnection<OpenAI>

/**
 * Resolves key and address from the options and the environment.
 * @throws AgentKitError `missing-key`, `invalid-config` for a key or an address that cannot be one
 */
export function connect(options: SettledOptions<AcmeOptions>): Connection {
  return connectSdk(options, {
    key: { provider: 'acme', vendor: 'Acme', variables: ['ACME_API_KEY'] },
    alwaysNeedsKey: true,
    officialURL: 'https://api.acme.example/v1',
    urlVariable: 'ACME_BASE_URL',
    query: 'kept',
    create: async (settings) => new (await import('openai')).OpenAI(settings),
  })
}

/** The context for errors of this model: hints for them, and secrets to redact. */
export function errorContext(model: string, { secrets }: Connection): ErrorContext {
  return { provider: 'acme', model, secrets, hint }
}

function hint(code: ErrorCode, { status }: Failure): string | undefined {
  return code === 'auth' && status !== 403 ? 'Set ACME_API_KEY, or pass apiKey.' : undefined
}
