import { AgentKitError } from '@agentkit/core'
import type { Provider, ProviderId } from './providers.ts'

/** What a provider package exports by the provider's name. */
export type ProviderFactory = (options: { apiKey?: string }) => Provider

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
  const name = `@agentkit/providers-${id}`
  try {
    const module = await importPackage(id, name)
    return module[id] as ProviderFactory // each provider package exports its factory by the provider's name
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause
    const message = `The package ${name} is not installed. Run: npm i ${name}`
    throw new AgentKitError('missing-package', message, { cause, provider: id })
  }
}

/** What agentkit itself depends on is named in full, so that a bundler sees it. */
function importByName(id: ProviderId, name: string): Promise<Record<string, unknown>> {
  if (id === 'openai') return import('@agentkit/providers-openai')
  if (id === 'offline') return import('@agentkit/providers-offline')
  return import(name)
}

/** Whether it is this package that is absent, and not one that it needs. */
function isMissing(cause: unknown, name: string): boolean {
  return (
    cause instanceof Error &&
    'code' in cause &&
    cause.code === 'ERR_MODULE_NOT_FOUND' &&
    cause.message.includes(`'${name}'`)
  )
}
