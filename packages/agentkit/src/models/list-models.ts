import type { NamedProvider } from './named-provider.ts'
import { keyOf, type ProviderId, variable } from './providers.ts'

/** The request that lists a provider's models: it costs nothing, and a wrong key is refused. */
export type ModelListRequest = { url: string; headers: Record<string, string> }

/**
 * The request that lists the models of a provider, with its key.
 *
 * @param ollamaServerUrl from the configuration
 * @returns `undefined` for a provider without a server or whose list is not known here, and for Azure without an endpoint
 */
export function modelListRequest(
  provider: ProviderId | NamedProvider,
  ollamaServerUrl?: string,
): ModelListRequest | undefined {
  if (typeof provider === 'object') {
    const { baseURL, keyVariable, headers = {} } = provider
    const key = keyVariable === undefined ? undefined : variable(keyVariable)
    return { url: joined(baseURL, 'models'), headers: { ...bearer(key), ...headers } }
  }
  const key = keyOf(provider)
  switch (provider) {
    case 'openai':
      return { url: joined(variable('OPENAI_BASE_URL') ?? 'https://api.openai.com/v1', 'models'), headers: bearer(key) }
    case 'anthropic': {
      const base = variable('ANTHROPIC_BASE_URL') ?? 'https://api.anthropic.com'
      return { url: joined(base, 'v1/models'), headers: { 'x-api-key': key ?? '', 'anthropic-version': '2023-06-01' } }
    }
    case 'mistral':
      return { url: 'https://api.mistral.ai/v1/models', headers: bearer(key) }
    case 'groq':
      return {
        url: joined(variable('GROQ_BASE_URL') ?? 'https://api.groq.com', 'openai/v1/models'),
        headers: bearer(key),
      }
    case 'gemini': {
      const base = variable('GOOGLE_GEMINI_BASE_URL') ?? 'https://generativelanguage.googleapis.com'
      return {
        url: joined(base.replace(/\/v1(?:alpha|beta)?\/?$/, ''), 'v1beta/models'),
        headers: { 'x-goog-api-key': key ?? '' },
      }
    }
    case 'azure': {
      const endpoint = variable('AZURE_OPENAI_ENDPOINT')?.replace(/\/openai\b.*$/, '')
      return endpoint === undefined
        ? undefined
        : { url: joined(endpoint, 'openai/v1/models'), headers: { 'api-key': key ?? '' } }
    }
    case 'ollama': {
      const { address, headers } = withoutUser(ollamaAddress(ollamaServerUrl))
      return { url: joined(address, 'api/tags'), headers }
    }
    default:
      return undefined
  }
}

/** `OLLAMA_HOST` may be a host, with or without a port. */
function ollamaAddress(serverUrl: string | undefined): string {
  const given = serverUrl ?? variable('OLLAMA_HOST') ?? 'http://127.0.0.1:11434'
  if (/^https?:\/\//.test(given)) return given
  return `http://${/:\d+$/.test(given) ? given : `${given}:11434`}`
}

/** `fetch` refuses a user and a password in an address: they become a header, as in the requests of the provider. */
function withoutUser(address: string): { address: string; headers: Record<string, string> } {
  const url = URL.parse(address)
  if (!url || (url.username === '' && url.password === '')) return { address, headers: {} }
  const words = `${decoded(url.username)}:${decoded(url.password)}`
  url.username = url.password = ''
  return { address: url.href, headers: { authorization: `Basic ${Buffer.from(words).toString('base64')}` } }
}

/** A password such as `100%` was not encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

function joined(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}
