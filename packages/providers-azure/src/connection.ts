import { AgentKitError, isAgentKitError } from '@agentkit/core'
import { redactSecrets } from '@agentkit/core/internal'
import {
  checkAddress,
  chosenFetch,
  nonEmpty,
  once,
  type PerRequest,
  requireKey,
  type SettledOptions,
  sdkFetch,
  secretsOf,
} from '@agentkit/wire'
import type { AzureOpenAI, OpenAI } from 'openai'

/** Which resource to call, and how. */
export type AzureOptions = {
  /** `https://<resource>.openai.azure.com`; else `AZURE_OPENAI_ENDPOINT`. */
  endpoint?: string | undefined
  /** Else `AZURE_OPENAI_API_KEY`. A function is called before each request. */
  apiKey?: PerRequest<string> | undefined
  /** Gives a token of Microsoft Entra for each request, in place of a key. */
  azureADTokenProvider?: (() => Promise<string>) | undefined
  /** Else `OPENAI_API_VERSION`, else 2025-04-01-preview. The v1 API has none. */
  apiVersion?: string | undefined
  /** Sent with every request. A function is called before each one. */
  headers?: PerRequest<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
  /**
   * The transport of requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default
   * `node`.
   */
  transport?: 'node' | 'fetch' | undefined
  /**
   * A client of your own, used as it is: it brings its key, address, headers and fetch. A plain `OpenAI` client is
   * one of the v1 API.
   */
  client?: AzureOpenAI | OpenAI | undefined
  /** `chat` when absent: Chat Completions, which every deployment has. */
  api?: 'chat' | 'responses' | undefined
  /** Whether to call the API at `/openai/v1/`, which has no versions. */
  v1?: boolean | undefined
}

/** The address and the credentials of requests. */
export type Connection = {
  /** The SDK, loaded at the first call. */
  client(): Promise<OpenAI>
  api: 'chat' | 'responses'
  v1: boolean
  /** The address of a client that was made for one deployment. */
  deploymentURL?: string
  /** Values that no error may carry. */
  secrets: readonly string[]
  /** Whether requests leave by our own fetch, which takes `callSignal`. */
  ownFetch: boolean
  /** Whether each request has a token of its own. */
  changingCredentials?: boolean
}

/** The last dated version that has chat, responses and embeddings; later features are in v1 alone. */
const lastVersion = '2025-04-01-preview'

/**
 * Resolves credentials, address and API from the options and the environment.
 * @throws AgentKitError `missing-key`, `invalid-config` for an endpoint that is missing, and for a key or an endpoint
 *   that cannot be one
 */
export function connect(options: SettledOptions<AzureOptions>): Connection {
  const { client, azureADTokenProvider, apiKey: givenKey, headers, api = 'chat' } = options
  if (client) return ownConnection(client, options)
  if (azureADTokenProvider && nonEmpty(givenKey)) throw invalid('Pass apiKey or azureADTokenProvider, not both.')
  const { v1 = false } = options
  const endpoint = endpointOf(options)
  const fetch = chosenFetch(options)
  const apiKey = azureADTokenProvider ? undefined : requireKey(givenKey, keySource)
  const secrets = secretsOf(apiKey, headers)
  const settled: Settled = {
    endpoint,
    credentials: azureADTokenProvider ? guardTokens(azureADTokenProvider, secrets) : { apiKey: apiKey ?? '' },
    apiVersion: nonEmpty(options.apiVersion) ?? nonEmpty(process.env.OPENAI_API_VERSION) ?? lastVersion,
    headers: headers ?? {},
    fetch: sdkFetch(fetch),
  }
  return {
    client: once(() => (v1 ? createV1Client(settled) : createClient(settled))),
    api,
    v1,
    secrets,
    ownFetch: fetch === undefined,
    changingCredentials: azureADTokenProvider !== undefined,
  }
}

function ownConnection(
  client: AzureOpenAI | OpenAI,
  { api = 'chat', v1, headers }: SettledOptions<AzureOptions>,
): Connection {
  return {
    client: async () => client,
    api,
    // A client of the dated API builds its own paths.
    v1: !('apiVersion' in client) && (v1 ?? true),
    ...(/\/deployments\//.test(client.baseURL) && { deploymentURL: client.baseURL.replace(/\/$/, '') }),
    secrets: secretsOf(nonEmpty(client.apiKey), headers),
    ownFetch: false,
  }
}

const keySource = { provider: 'azure', vendor: 'Azure OpenAI', variables: ['AZURE_OPENAI_API_KEY'] }
const exampleEndpoint = 'https://my-resource.openai.azure.com'

/** People copy it with the path that the SDK adds. */
function endpointOf(options: SettledOptions<AzureOptions>): string {
  const endpoint = nonEmpty(options.endpoint) ?? nonEmpty(process.env.AZURE_OPENAI_ENDPOINT)
  if (endpoint === undefined) {
    throw invalid(`No endpoint for Azure OpenAI. Set AZURE_OPENAI_ENDPOINT, or pass endpoint: ${exampleEndpoint}.`)
  }
  // The portal's "target URI" is the address of one call.
  const root = endpoint.replace(/\/openai\/(?:deployments|responses)\b.*$/, '').replace(/\/+$/, '')
  checkAddress(root, 'endpoint', exampleEndpoint, 'azure')
  return root.replace(/\/openai(?:\/v1)?$/, '')
}

type Settled = {
  endpoint: string
  credentials: { apiKey: string } | (() => Promise<string>)
  apiVersion: string
  headers: Record<string, string>
  fetch: typeof fetch
}

/** Keeps the SDK from sending the OpenAI account in the environment to Azure. */
const noAccount = { organization: null, project: null }

async function createClient({ endpoint, credentials, apiVersion, headers, fetch }: Settled): Promise<OpenAI> {
  const { AzureOpenAI } = await import('openai')
  return new AzureOpenAI({
    ...noAccount,
    endpoint,
    apiVersion,
    // Otherwise the SDK reads OPENAI_BASE_URL, which excludes an endpoint.
    baseURL: null,
    // An empty key hides the key in the environment, which would exclude the tokens.
    ...(typeof credentials === 'function' ? { azureADTokenProvider: credentials, apiKey: '' } : credentials),
    maxRetries: 0,
    fetch,
    defaultHeaders: headers,
  })
}

async function createV1Client({ endpoint, credentials, headers, fetch }: Settled): Promise<OpenAI> {
  const { OpenAI } = await import('openai')
  const byKey = typeof credentials !== 'function'
  return new OpenAI({
    ...noAccount,
    apiKey: byKey ? credentials.apiKey : credentials,
    baseURL: `${endpoint}/openai/v1`,
    maxRetries: 0,
    fetch,
    defaultHeaders: byKey ? { 'api-key': credentials.apiKey, authorization: null, ...headers } : headers,
  })
}

/**
 * A token provider that fails with an error of ours: without a call there is no answer to take a reason from.
 * @param secrets receives each token, which no error may carry
 */
function guardTokens(provider: () => Promise<string>, secrets: string[]): () => Promise<string> {
  // The secrets of the headers stay.
  const firstToken = secrets.length
  return async () => {
    try {
      const token: unknown = await provider()
      if (typeof token !== 'string' || token === '') throw new TypeError('it returned no text.')
      if (!secrets.includes(token)) secrets.push(token)
      // Errors no longer quote old tokens.
      if (secrets.length > firstToken + mostTokens) secrets.splice(firstToken, 1)
      return token
    } catch (cause) {
      const words = cause instanceof Error ? redactSecrets(cause.message) : 'it failed.'
      throw new AgentKitError('auth', `azureADTokenProvider gave no token: ${words}`, { provider: 'azure', cause })
    }
  }
}

const mostTokens = 20

/** The error of `guardTokens`, which the SDK wraps in one of its own. */
export function tokenFailure(error: unknown): AgentKitError | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  return isAgentKitError(cause) ? cause : undefined
}

function invalid(message: string): AgentKitError {
  return new AgentKitError('invalid-config', message, { provider: 'azure' })
}
