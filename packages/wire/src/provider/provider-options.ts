import { AgentKitError } from '@agentkit/core'
import { credentialsOf } from '@agentkit/core/internal'

/** The names of a provider, and the source of its key. */
export type KeySource = {
  /** The factory's name, such as `groq`. */
  provider: string
  /** The name in messages, such as `Groq`. */
  vendor: string
  /** The environment variables for the key; the first that is set counts. */
  variables: readonly string[]
}

/**
 * The key of a provider: the option, else the environment. An empty key is an absent one.
 * @throws AgentKitError `invalid-config` for a key with invalid characters
 */
export function findKey(given: string | undefined, { provider, vendor, variables }: KeySource): string | undefined {
  const key = [given, ...variables.map((variable) => process.env[variable])].map(nonEmpty).find(Boolean)
  if (key === undefined || printable.test(key)) return key
  throw new AgentKitError(
    'invalid-config',
    `The key for ${vendor} has characters that no key has (a space, a line break, a typographic dash?). Copy it again.`,
    { provider },
  )
}

/**
 * The key of a provider that requires one.
 * @throws AgentKitError `missing-key`, `invalid-config`
 */
export function requireKey(given: string | undefined, source: KeySource): string {
  const key = findKey(given, source)
  if (key !== undefined) return key
  const { provider, vendor, variables } = source
  throw new AgentKitError('missing-key', `No key for ${vendor}. Set ${variables.join(' or ')}, or pass apiKey.`, {
    provider,
  })
}

/**
 * Checks a URL from the options or the environment. `fetch` rejects URLs with a user and a password.
 * @param name of the option, such as `baseURL`
 * @param example of a valid one
 * @param query whether the provider's SDK keeps the query; others append paths to it
 * @throws AgentKitError `invalid-config` for an invalid URL
 */
export function checkAddress(
  address: string,
  name: string,
  example: string,
  provider: string,
  query: 'kept' | 'refused' = 'refused',
): URL {
  const url = URL.parse(address)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  const hasQuery = query === 'refused' && Boolean(url?.search)
  if (url && isWeb && !url.username && !url.password && !hasQuery && !url.hash) return url
  let problem = `"${withoutSecrets(address)}" is not a URL`
  if (url?.username || url?.password) problem = 'has a user or a password in it: pass them as a header'
  else if (hasQuery) {
    problem = `"${withoutSecrets(address)}" has a query: leave it out, and pass what the server needs as a header`
  } else if (url?.hash) problem = `"${withoutSecrets(address)}" has a fragment: leave it out`
  throw new AgentKitError('invalid-config', `The ${name} ${problem}. It looks like ${example}.`, { provider })
}

/** An address, valid or not, without the parts that may contain a password or a key. */
function withoutSecrets(address: string): string {
  const host = address.lastIndexOf('@')
  return (host < 0 ? address : `…${address.slice(host)}`).replace(/([?#]).+$/s, '$1…')
}

/**
 * Checks the name of a model: an environment variable that is not set is a common mistake.
 * @throws AgentKitError `invalid-argument` for an empty name and for other types
 */
export function checkModelId(id: string, provider: string, what = 'model'): string {
  // JavaScript callers may pass anything.
  if (typeof id === 'string' && id.trim() !== '') return id
  throw new AgentKitError(
    'invalid-argument',
    `${provider}: ${what}(id) takes the name of a model, and got ${JSON.stringify(id) ?? 'nothing'}.`,
    {
      provider,
    },
  )
}

/**
 * The values to redact from errors: the key, headers with credentials, with and without their scheme, and the
 * parameters of an address with credentials, both encoded and decoded.
 */
export function secretsOf(
  key: string | undefined,
  headers: Readonly<Record<string, string>> = {},
  address?: string,
): string[] {
  const secrets = credentialsOf({ headers, url: address })
  return key === undefined ? secrets : [key, ...secrets]
}

/** A setting without surrounding white space; `undefined` for a blank one. */
export function nonEmpty(value: string | null | undefined): string | undefined {
  return value?.trim() || undefined
}

/** Creates a value, or a promise of one, at the first call; again after a failure. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    if (made) return made.value
    const value = make()
    made = { value }
    if (value instanceof Promise) {
      value.catch(() => {
        made = undefined
      })
    }
    return value
  }
}

const printable = /^[\x21-\x7e]+$/

/**
 * Rejects the use of embeddings with a provider that has none, and names those that have.
 * @throws AgentKitError `unsupported`, always
 */
export function noEmbeddings(vendor: string, provider: string, model: string): never {
  const message = `${vendor} has no embeddings. Use those of OpenAI, Azure, Mistral, Gemini or Ollama.`
  throw new AgentKitError('unsupported', message, { provider, model })
}
