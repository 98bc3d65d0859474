import type { Embedder, Model } from '@agentkit/core'

/** What each provider package's factory gives. */
export type Provider = {
  model(id: string, options?: ModelTimeouts): Model
  embedder?(id: string, options?: { dimensions?: number }): Embedder
}

/** The longest silences of one model attempt, in milliseconds. */
export type ModelTimeouts = { firstByteTimeoutMs?: number; idleTimeoutMs?: number }

/**
 * The environment variables that hold each provider's key; the first that is set counts. A key goes to its own
 * provider and to nobody else. A provider without any needs no key.
 */
export const keyVariables = {
  openai: ['LLMPROVIDER_API_KEY', 'OPENAI_API_KEY'],
  azure: ['AZURE_OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  groq: ['GROQ_API_KEY'],
  gemini: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  ollama: [],
  offline: [],
} as const

export type ProviderId = keyof typeof keyVariables

// `Object.keys` types its result as text; these are the table's own keys.
export const providerIds: readonly ProviderId[] = Object.keys(keyVariables) as ProviderId[]

export function isProviderId(name: string): name is ProviderId {
  return Object.hasOwn(keyVariables, name)
}

/** Whether `OPENAI_BASE_URL` names a server of one's own: one that may know any model, and need no key. */
export function hasOwnServer(): boolean {
  const address = process.env.OPENAI_BASE_URL?.trim()
  return Boolean(address) && URL.parse(address ?? '')?.hostname !== 'api.openai.com'
}

/** Whether a call of this provider is refused without a key. */
export function needsKey(provider: ProviderId): boolean {
  return keyVariables[provider].length > 0 && !(provider === 'openai' && hasOwnServer())
}

/** The provider's key in the environment, if it has one. An empty variable is an absent one. */
export function keyOf(provider: ProviderId): string | undefined {
  for (const variable of keyVariables[provider]) {
    const key = process.env[variable]?.trim()
    if (key) return key
  }
  return undefined
}
