import { importOptional } from '../util/import-optional.ts'
import { packages } from './provider-table.ts'
import type { Provider, ProviderId } from './providers.ts'

/** The function that a provider package exports under the provider's name. */
export type ProviderFactory = (options: ProviderSettings) => Provider

/** The settings of the configuration for a provider, beside its environment variables. */
export type ProviderSettings = {
  apiKey?: string
  /** The URL of Ollama. */
  serverUrl?: string
  /** The name of a server with the API of OpenAI, for the package of OpenAI. */
  name?: string
  baseURL?: string
  keyVariable?: string
  api?: 'chat' | 'responses'
  headers?: Readonly<Record<string, string>>
}

/**
 * Imports a provider's package.
 *
 * @param importPackage returns the package's exports
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export async function importProvider(
  id: ProviderId,
  importPackage: (id: ProviderId, name: string) => Promise<Record<string, unknown>> = importByName,
): Promise<ProviderFactory> {
  const module = await importOptional(packages[id], (name) => importPackage(id, name), { provider: id })
  return module[id] as ProviderFactory // each provider package exports its factory by the provider's name
}

/** Agentkit's own dependencies are imported by a literal name, which bundlers see. The other packages are optional. */
function importByName(id: ProviderId, name: string): Promise<Record<string, unknown>> {
  if (id === 'openai') return import('@agentkit/providers-openai')
  if (id === 'offline') return import('@agentkit/providers-offline')
  return import(/* webpackIgnore: true */ name)
}
