import { AgentKitError } from '@agentkit/core'

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
  const key = [given, ...variables.map((variable) => process.env[variable])].map(told).find(Boolean)
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
 * Checks an address that a user gave.
 * @param name of the option, such as `baseURL`
 * @param example of one that is right
 * @throws AgentKitError `invalid-config` for what is none
 */
export function checkAddress(address: string, name: string, example: string, provider: string): URL {
  const url = URL.parse(address)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  const message = `The ${name} "${address}" is no address. It looks like ${example}.`
  throw new AgentKitError('invalid-config', message, { provider })
}

/** The values that no error may carry: the key, and headers that hold one. */
export function secretsOf(key: string | undefined, headers: Readonly<Record<string, string>> = {}): string[] {
  const secret = Object.entries(headers).flatMap(([name, value]) => (secretHeader.test(name) ? [value] : []))
  return key === undefined ? secret : [key, ...secret]
}

/** A setting with something in it. */
export function told(value: string | null | undefined): string | undefined {
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
