import { AgentKitError, type ErrorCode } from '@agentkit/core'
import {
  captureResponse,
  chosenFetch,
  type ErrorContext,
  type Failure,
  findKey,
  nonEmpty,
  once,
  type PerRequest,
  requireKey,
  type SettledOptions,
  secretsOf,
  toProviderError,
} from '@agentkit/wire'
import type { Ollama } from 'ollama/browser'
import { type ServerAddress, serverAddress } from './server-address.ts'

/** Which server to call, and how. */
export type OllamaOptions = {
  /** The address, as the `ollama` command takes it: `http://gpu:11434`, `gpu:11434`, `gpu`. Else `OLLAMA_HOST`, else this machine. */
  serverUrl?: string | undefined
  /** Sent with every request. A function is called before each one. */
  headers?: PerRequest<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
  /**
   * The transport of requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default
   * `node`.
   */
  transport?: 'node' | 'fetch' | undefined
  /** An `Ollama` client of your own, used as it is: it brings its address, headers and fetch. */
  client?: Ollama | undefined
  /** For a server that wants one; else, for https://ollama.com alone, `OLLAMA_API_KEY`. A function is called before each request. */
  apiKey?: PerRequest<string> | undefined
}

/** The address and the credentials of requests. */
export type Connection = {
  /** Loads the SDK. */
  load(): Promise<unknown>
  /** Makes one request by the SDK, and returns its answer unread. */
  send(call: (client: Ollama) => Promise<unknown>, signal: AbortSignal): Promise<Response>
  /** The host, if it is known. */
  host: string | undefined
  /** Values that no error may contain. */
  secrets: readonly string[]
}

const localHost = 'http://127.0.0.1:11434'

/**
 * Resolves address and key from the options and the environment.
 * @throws AgentKitError `missing-key` for https://ollama.com without a key, `invalid-config` for a key or an address
 *   that cannot be one
 */
export function connect(options: SettledOptions<OllamaOptions>): Connection {
  const { client } = options
  if (client) {
    const apiKey = nonEmpty(process.env.OLLAMA_API_KEY)
    return {
      load: async () => client,
      send: (call, signal) => sendBy(client, call, signal),
      host: undefined,
      secrets: secretsOf(apiKey),
    }
  }
  const { host, authorization, secrets } = findServer(options.serverUrl)
  const apiKey = keyFor(options.apiKey, host)
  const fetch = chosenFetch(options)
  const token = apiKey === undefined ? authorization : `Bearer ${apiKey}`
  const headers: Record<string, string> = token === undefined ? {} : { authorization: token }
  // The user's own headers win, in upper or lower case.
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value
  return {
    load: sdk,
    async send(call, signal) {
      const Ollama = await sdk()
      return take((taking) => call(new Ollama({ host, headers, fetch: taking })), signal, fetch)
    },
    host,
    secrets: [...secretsOf(apiKey, headers), ...secrets],
  }
}

function findServer(serverUrl: string | undefined): ServerAddress {
  const given = nonEmpty(serverUrl)
  if (given !== undefined) return serverAddress(given, 'serverUrl')
  const found = nonEmpty(process.env.OLLAMA_HOST)
  return found === undefined ? { host: localHost, secrets: [] } : serverAddress(found, 'OLLAMA_HOST')
}

function keyFor(apiKey: string | undefined, host: string): string | undefined {
  const source = { provider: 'ollama', vendor: 'Ollama', variables: ['OLLAMA_API_KEY'] }
  // The SDK sends the key of the environment there, and nowhere else.
  if (host === 'https://ollama.com') return requireKey(apiKey, source)
  return findKey(apiKey, { ...source, variables: [] })
}

/** The client with its own settings and this call's fetch. Images stay text: it would read a path from the disk. */
function sendBy(client: Ollama, call: (client: Ollama) => Promise<unknown>, signal: AbortSignal): Promise<Response> {
  // Every client has one; only its type hides it.
  const { fetch } = client as unknown as { fetch: typeof globalThis.fetch }
  const derived = (taking: typeof globalThis.fetch): Ollama =>
    Object.create(client, {
      fetch: { value: taking },
      ongoingStreamedRequests: { value: [] },
      encodeImage: { value: async (image: string) => image },
    })
  return take((taking) => call(derived(taking)), signal, fetch)
}

/** The SDK skips lines that it cannot parse, and leaves connections open: so our reader reads the answer. */
function take(
  call: (fetch: typeof globalThis.fetch) => Promise<unknown>,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch | undefined,
): Promise<Response> {
  return captureResponse(call, { signal, fetch, contentType: 'application/x-ndjson' })
}

/** The build without a file system: where an image's text is a path, Node's build would send that file. */
const sdk: () => Promise<typeof Ollama> = once(async () => (await import('ollama/browser')).Ollama)

/** The context for errors of this model: hints for them, and secrets to redact. */
export function errorContext(model: string, { secrets }: Connection): ErrorContext {
  return { provider: 'ollama', model, secrets, hint: (code, failure) => hint(code, failure, model) }
}

function hint(code: ErrorCode, { status, message }: Failure, model: string): string | undefined {
  if (code === 'model-not-found') return `Get it with: ollama pull ${model}`
  if (code === 'context-overflow') return 'Pass a larger contextWindow, as far as the memory allows.'
  if (code === 'auth' && status !== 403) return 'Set OLLAMA_API_KEY, or pass apiKey.'
  if (/does not support tools/.test(message))
    return 'Choose a model that takes tools: "ollama show" lists what each one can do.'
  if (/does not support thinking|think value .* not supported/.test(message)) return 'Leave `reasoning` out.'
  if (status === 404) return 'Check the serverUrl: is it that of an Ollama server?'
  return undefined
}

/** Anything that the SDK, `fetch` or a broken body throws, as an AgentKitError. */
export function toOllamaError(error: unknown, context: ErrorContext, { host }: Connection): AgentKitError {
  const failure = toProviderError(error, context)
  if (failure.code !== 'network' || !/ECONNREFUSED/.test(failure.message)) return failure
  const { provider, model } = context
  const where = host === undefined ? 'Ollama' : `Ollama at ${host}`
  const message = `${failure.message} Nothing answers for ${where}: start it with "ollama serve".`
  return new AgentKitError('network', message, { provider, model, retryable: failure.retryable, cause: failure.cause })
}
