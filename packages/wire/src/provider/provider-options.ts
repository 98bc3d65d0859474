import { AgentKitError } from '@agentkit/core'
import { checkOptionNames } from '@agentkit/core/internal'
import type { CallTimeouts } from '../stream/call-watch.ts'

/** A provider as errors name it, and where its key comes from. */
export type KeySource = {
  /** The factory's name, such as `groq`. */
  provider: string
  /** As people write it, such as `Groq`. */
  vendor: string
  /** The environment variables that may hold the key; the first that is set counts. */
  variables: readonly string[]
}

/**
 * The key of a provider: the one given, else the one in the environment. An empty one is an absent one.
 * @throws AgentKitError `invalid-config` for a key that cannot be one
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
 * The key of a provider that is never called without one.
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
 * Checks an address that a user gave. Requests cannot carry a user and a password in theirs.
 * @param name of the option, such as `baseURL`
 * @param example of one that is right
 * @param query whether the provider's SDK keeps one in its place; others append paths to it
 * @throws AgentKitError `invalid-config` for what is none
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
  if (url && isWeb && !url.username && !url.password && !hasQuery) return url
  let problem = `"${address}" is no address`
  // The address is not told: it holds a password.
  if (url?.username || url?.password) problem = 'has a user or a password in it: pass them as a header'
  else if (hasQuery) problem = `"${address}" has a query: leave it out, and pass what the server wants as a header`
  throw new AgentKitError('invalid-config', `The ${name} ${problem}. It looks like ${example}.`, { provider })
}

/**
 * Checks what a user calls a model: an environment variable that is not set becomes one easily.
 * @throws AgentKitError `invalid-argument` for what names none
 */
export function checkModelId(id: string, provider: string, what = 'model'): string {
  // Without a compiler anything may come.
  if (typeof id === 'string' && id.trim() !== '') return id
  throw new AgentKitError(
    'invalid-argument',
    `${provider}: ${what}(id) takes the name of a model, and got ${JSON.stringify(id) ?? 'nothing'}.`,
    {
      provider,
    },
  )
}

/** The options of a factory, or of its `model`: a misspelt one would be ignored. */
export function checkOptions<Options extends object>(
  options: Options,
  known: Record<keyof Options, true>,
  code: 'invalid-config' | 'invalid-argument' = 'invalid-config',
): void {
  checkOptionNames(options, known, { code })
}

export const callTimeoutNames: Record<keyof CallTimeouts, true> = { firstByteTimeoutMs: true, idleTimeoutMs: true }

/** The values that no error may carry: the key, and headers that hold one, with and without the word before it. */
export function secretsOf(key: string | undefined, headers: Readonly<Record<string, string>> = {}): string[] {
  const secret = Object.entries(headers).flatMap(([name, value]) => {
    if (!secretHeader.test(name)) return []
    const bare = value.replace(/^\w+\s+/, '')
    return bare === value ? [value] : [value, bare]
  })
  return key === undefined ? secret : [key, ...secret]
}

/** A setting with something in it. */
export function nonEmpty(value: string | null | undefined): string | undefined {
  return value?.trim() || undefined
}

/** Makes a value, or the promise of one, when it is first asked for: the one time that it does not fail. */
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
const secretHeader = /key|token|auth|secret|cookie/i

/**
 * Refuses an embedder of a provider that has none, and says who has.
 * @throws AgentKitError `unsupported`, always
 */
export function noEmbeddings(vendor: string, provider: string, model: string): never {
  const message = `${vendor} has no embeddings. Use those of OpenAI, Azure, Mistral, Gemini or Ollama.`
  throw new AgentKitError('unsupported', message, { provider, model })
}
