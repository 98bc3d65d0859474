import { sdkFetch } from '../http/capture-response.ts'
import type { KnownRequest } from '../http/node-fetch.ts'
import { type SdkSignature, sdkHeaders } from '../http/sdk-headers.ts'
import { chosenFetch } from './factory-options.ts'
import { checkAddress, findKey, type KeySource, nonEmpty, once, requireKey, secretsOf } from './provider-options.ts'

/** The address, the credentials and the headers of requests. */
export type SdkConnection<Client> = {
  /** The SDK's client; the first call loads the SDK. */
  client(): Promise<Client>
  baseURL: string
  /** Whether this is the provider's own server. */
  official: boolean
  /** Values that no error may carry. */
  secrets: readonly string[]
  /** Whether requests are sent by `nodeFetch`, which takes `callSignal`. */
  ownFetch: boolean
  /** Loads the modules of the first call, without the SDK if its requests are known; `undefined` once loaded. */
  ready(): Promise<unknown> | undefined
  /** The address and headers of the SDK's requests to a path; `undefined` if only the SDK knows them. */
  known(path: string, headers: Record<string, string>): KnownRequest | undefined
}

/** The options that the providers with a generated SDK (OpenAI, Anthropic, Groq) have in common. */
type ConnectionOptions<Client> = {
  apiKey?: string | undefined
  baseURL?: string | undefined
  headers?: Record<string, string> | undefined
  fetch?: typeof fetch | undefined
  transport?: 'node' | 'fetch' | undefined
  client?: Client | undefined
}

type SdkClient = { baseURL: string; apiKey: string | null; authToken?: string | null }

/** The constructor options of such an SDK. */
export type ClientSettings = {
  apiKey: string
  baseURL: string
  fetch: typeof fetch
  /** Retries are core's. */
  maxRetries: 0
  defaultHeaders?: Record<string, string>
}

export type SdkSpec<Client> = {
  key: KeySource
  /** Whether another server than the provider's own needs a key too. */
  alwaysNeedsKey?: true
  officialURL: string
  /** The environment variable that replaces `officialURL`. */
  urlVariable: string
  /** The address in error messages; `officialURL` when absent. */
  exampleURL?: string
  /** Whether the SDK keeps the query of an address in its place. */
  query?: 'kept'
  /** Removes the path that the SDK itself appends to an address. */
  rootOf?(address: string): string
  create(settings: ClientSettings): Promise<Client>
  /**
   * The parts that all its requests share; loaded with the first call. Without it, the SDK builds the first request to
   * a path.
   */
  signature?(settings: ClientSettings): Promise<SdkSignature>
}

/**
 * Resolves key and address from the options and the environment. A client of the user's own is used as it is.
 * @throws AgentKitError `missing-key` on the provider's own server without a key, `invalid-config` for a key or an
 *   address that cannot be one
 */
export function connectSdk<Client extends SdkClient>(
  options: ConnectionOptions<Client>,
  sdk: SdkSpec<Client>,
): SdkConnection<Client> {
  const { client, headers } = options
  const fetch = chosenFetch(options)
  const { key, officialURL, exampleURL = officialURL, rootOf = (address: string) => address } = sdk
  const baseURL =
    client?.baseURL ?? rootOf(nonEmpty(options.baseURL) ?? nonEmpty(process.env[sdk.urlVariable]) ?? officialURL)
  const { hostname } = checkAddress(baseURL, 'baseURL', exampleURL, key.provider, sdk.query)
  const official = hostname === new URL(officialURL).hostname
  const needsKey = official || sdk.alwaysNeedsKey === true
  const apiKey = client
    ? nonEmpty(client.apiKey ?? client.authToken)
    : (needsKey ? requireKey : findKey)(options.apiKey, key)
  const settings: ClientSettings = {
    // The SDKs want a key even where the server wants none, or look for one in places of their own.
    apiKey: apiKey ?? 'no-key',
    baseURL,
    fetch: sdkFetch(fetch),
    maxRetries: 0,
    ...(headers && { defaultHeaders: headers }),
  }
  const ownFetch = client === undefined && fetch === undefined
  const loaded = client ? () => Promise.resolve(client) : once(() => sdk.create(settings))
  let signature: SdkSignature | undefined
  const sign = async (): Promise<unknown> => {
    const loadedSignature = await sdk.signature?.(settings)
    if (!loadedSignature || !isKnown(settings, loadedSignature)) return loaded()
    signature = loadedSignature
    return undefined
  }
  const signed = once(sign)
  return {
    client: loaded,
    ready: ownFetch ? () => (signature ? undefined : signed()) : loaded,
    known: (path, headers) => signature && requestTo(path, headers, settings, signature),
    baseURL,
    official,
    secrets: secretsOf(apiKey, headers, baseURL),
    ownFetch,
  }
}

/** An address with a query is not known here, because the SDKs merge its query with the query of the path. */
function isKnown({ baseURL, defaultHeaders }: ClientSettings, signature: SdkSignature): boolean {
  return !/[?#]/.test(baseURL) && sdkHeaders(signature, defaultHeaders) !== undefined
}

function requestTo(
  path: string,
  headers: Record<string, string>,
  { baseURL, defaultHeaders }: ClientSettings,
  signature: SdkSignature,
): KnownRequest | undefined {
  const sent = sdkHeaders(signature, defaultHeaders, headers)
  return sent && { address: new URL(baseURL.replace(/\/$/, '') + path).href, headers: sent }
}
