import {
  checkAddress,
  chosenFetch,
  isRecord,
  nonEmpty,
  once,
  type PerRequest,
  requireKey,
  type SettledOptions,
  sdkFetch,
  secretsOf,
} from '@agentkit/wire'
import type { EmbedContentParameters, GenerateContentParameters, HttpOptions } from '@google/genai'

/** The part of a `GoogleGenAI` client that is used. */
export interface GeminiClient {
  readonly models: {
    generateContentStream(params: GenerateContentParameters): Promise<unknown>
    embedContent(params: EmbedContentParameters): Promise<{ embeddings?: { values?: number[] }[] }>
  }
}

/** Which server to call, and how. */
export type GeminiOptions = {
  /** Else `GOOGLE_API_KEY`, else `GEMINI_API_KEY`. A function is called before each request. */
  apiKey?: PerRequest<string> | undefined
  /** The root, without a version; else `GOOGLE_GEMINI_BASE_URL`, else Google's own. */
  baseURL?: string | undefined
  /** Sent with every request. A function is called before each one. */
  headers?: PerRequest<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
  /**
   * The transport of requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default
   * `node`.
   */
  transport?: 'node' | 'fetch' | undefined
  /** A `GoogleGenAI` client of your own, used as it is (also one of Vertex): it brings its key, address and fetch. */
  client?: GeminiClient | undefined
}

/** The address and the credentials of requests. */
export type Connection = {
  /** The SDK's client, loaded at the first call. */
  client(): Promise<GeminiClient>
  /** How requests leave; over `node:http` when absent. */
  fetch: typeof fetch | undefined
  /** The SDK's HTTP options of each call. */
  httpOptions: HttpOptions
  /** Values that no error may carry. */
  secrets: readonly string[]
}

/**
 * Resolves key and address from the options and the environment.
 * @throws AgentKitError `missing-key` without a key, `invalid-config` for a key or an address that cannot be one
 */
export function connect(options: SettledOptions<GeminiOptions>): Connection {
  const { client, headers } = options
  if (client) {
    return {
      client: () => Promise.resolve(client),
      fetch: fetchOf(client),
      // Retries are core's; the client may have its own.
      httpOptions: { retryOptions: { attempts: 1 } },
      secrets: secretsOf(keyOf(client)),
    }
  }
  const apiKey = requireKey(options.apiKey, keySource)
  const given =
    nonEmpty(options.baseURL) ??
    nonEmpty(process.env.GOOGLE_GEMINI_BASE_URL) ??
    'https://generativelanguage.googleapis.com'
  // The SDK adds the version.
  const baseURL = given.replace(/\/v1(?:alpha|beta)?\/?$/, '')
  checkAddress(baseURL, 'baseURL', 'https://gateway.example.com', 'gemini')
  const fetch = chosenFetch(options)
  return {
    client: once(() => createClient(apiKey, { baseUrl: baseURL, fetch: sdkFetch(fetch), ...(headers && { headers }) })),
    fetch,
    httpOptions: {},
    secrets: secretsOf(apiKey, headers),
  }
}

const keySource = { provider: 'gemini', vendor: 'Google', variables: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'] }

/**
 * The SDK's build for the web: the same client, but it reads no environment variables, does not warn of a second key
 * there, and loads without the libraries of Google Cloud.
 */
async function createClient(apiKey: string, httpOptions: HttpOptions): Promise<GeminiClient> {
  const { GoogleGenAI } = await import('@google/genai/web')
  // The stable API has neither JSON Schema for tools nor the preview models and aliases.
  return new GoogleGenAI({ apiKey, vertexai: false, apiVersion: 'v1beta', httpOptions })
}

/** A client keeps its `fetch` and its key in fields that its type calls private; a call's own `fetch` takes its place. */
function fetchOf(client: object): typeof fetch | undefined {
  const options = isRecord(client) ? client.httpOptions : undefined
  const own = isRecord(options) ? options.fetch : undefined
  // The SDK accepts nothing else for it.
  return typeof own === 'function' ? (own as typeof fetch) : undefined
}

function keyOf(client: object): string | undefined {
  const key = isRecord(client) ? client.apiKey : undefined
  return typeof key === 'string' ? nonEmpty(key) : undefined
}
