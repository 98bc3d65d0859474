import type { Embedder, Model } from '@agentkit/core'
import { keyVariables, type ProviderId } from './provider-table.ts'

export { keyVariables, type ProviderId } from './provider-table.ts'

/** The object that the factory of a provider package returns. */
export type Provider = {
  model(id: string, options?: ModelTimeouts): Model
  embedder?(id: string, options?: { dimensions?: number }): Embedder
}

/** The longest silences of one model attempt, in milliseconds. */
export type ModelTimeouts = { firstByteTimeoutMs?: number; idleTimeoutMs?: number }

// `Object.keys` returns `string[]`; these are the keys of the table.
export const providerIds: readonly ProviderId[] = Object.keys(keyVariables) as ProviderId[]

export function isProviderId(name: string): name is ProviderId {
  return Object.hasOwn(keyVariables, name)
}

/** Whether `OPENAI_BASE_URL` is another server than OpenAI's: it may have any model and need no key. */
export function hasCustomServer(): boolean {
  const address = process.env.OPENAI_BASE_URL?.trim()
  return Boolean(address) && URL.parse(address ?? '')?.hostname !== 'api.openai.com'
}

/** Whether this provider refuses calls without a key. */
export function needsKey(provider: ProviderId): boolean {
  return keyVariables[provider].length > 0 && !(provider === 'openai' && hasCustomServer())
}

/** The provider's key in the environment, if there is one. An empty variable counts as absent. */
export function keyOf(provider: ProviderId): string | undefined {
  for (const name of keyVariables[provider]) {
    const key = variable(name)
    if (key) return key
  }
  return undefined
}

/** An environment variable; an empty one counts as absent. */
export function variable(name: string): string | undefined {
  return process.env[name]?.trim() || undefined
}
