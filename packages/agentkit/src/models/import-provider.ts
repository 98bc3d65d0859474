import { AgentKitError } from '@agentkit/core'
import type { Provider, ProviderId } from './providers.ts'

/** What a provider package exports by the provider's name. */
export type ProviderFactory = (options: ProviderSettings) => Provider

/** What a configuration says of a provider, beyond its environment variables. */
export type ProviderSettings = {
  apiKey?: string
  /** Where Ollama listens. */
  serverUrl?: string
}

/**
 * Imports a provider's package.
 *
 * @param importPackage how its exports are come by
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export async function importProvider(
  id: ProviderId,
  importPackage: (id: ProviderId, name: string) => Promise<Record<string, unknown>> = importByName,
): Promise<ProviderFactory> {
  const name = packages[id]
  try {
    const module = await importPackage(id, name)
    return module[id] as ProviderFactory // each provider package exports its factory by the provider's name
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause
    const message = `The package ${name} is not installed. Run: npm i ${name}`
    throw new AgentKitError('missing-package', message, { cause, provider: id })
  }
}

/** What agentkit itself depends on is named where it is imported, so that a bundler sees it; the others may be absent. */
function importByName(id: ProviderId, name: string): Promise<Record<string, unknown>> {
  if (id === 'openai') return import('@agentkit/providers-openai')
  if (id === 'offline') return import('@agentkit/providers-offline')
  return import(name)
}

/** The packages of the providers. */
const packages = {
  openai: '@agentkit/providers-openai',
  azure: '@agentkit/providers-azure',
  anthropic: '@agentkit/providers-anthropic',
  mistral: '@agentkit/providers-mistral',
  groq: '@agentkit/providers-groq',
  gemini: '@agentkit/providers-gemini',
  ollama: '@agentkit/providers-ollama',
  offline: '@agentkit/providers-offline',
} as const satisfies Record<ProviderId, string>

/** Whether it is this package that is absent, and not one that it needs. */
export function isMissing(cause: unknown, name: string): boolean {
  return (
    cause instanceof Error &&
    'code' in cause &&
    cause.code === 'ERR_MODULE_NOT_FOUND' &&
    cause.message.includes(`'${name}'`)
  )
}
