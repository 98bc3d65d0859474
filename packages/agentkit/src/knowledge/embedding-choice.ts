import { AgentKitError } from '@agentkit/core'
import { invalidConfig } from '@agentkit/core/internal'
import type { EmbeddingTable } from '../config/config-keys.ts'
import { type ModelName, resolveModelName } from '../models/model-name.ts'
import { checkKeyOf } from '../models/named-model.ts'
import { checkListed, type NamedProvider, type NamedProviders, noProviders } from '../models/named-provider.ts'
import { hasCustomServer, isProviderId, keyOf, keyVariables, needsKey, type ProviderId } from '../models/providers.ts'

/** The embedding model that makes the vectors. */
export type EmbeddingChoice = {
  provider: string
  model: string
  dimensions?: number
  /** Set where the configuration names the provider. */
  named?: NamedProvider
}

/** Providers with embeddings, each with its default model. */
const defaultModels: ReadonlyMap<ProviderId, string | undefined> = new Map([
  ['openai', 'text-embedding-3-small'],
  ['mistral', 'mistral-embed'],
  ['gemini', 'gemini-embedding-001'],
  ['ollama', 'nomic-embed-text'],
  // Azure's models are deployments, which have custom names.
  ['azure', undefined],
])
/** Providers whose default model is always available with a key, in the order of preference. */
const alwaysAvailable: readonly ProviderId[] = ['openai', 'mistral', 'gemini']
/** A chat model of Ollama shows that Ollama is running, though it may not have the embedding model. */
const availableForChat: readonly ProviderId[] = [...alwaysAvailable, 'ollama']

/**
 * The embedding that `[embedding]` names.
 *
 * @param chatProvider the provider when the table names none
 * @param providers the providers of the configuration
 * @returns `undefined` for an empty table
 * @throws AgentKitError `invalid-config` for a provider without embeddings, and for a missing model
 * @throws AgentKitError `missing-key` with the names of the environment variables
 */
export function namedEmbedding(
  table: EmbeddingTable,
  chatProvider: ProviderId,
  providers: NamedProviders = noProviders,
): EmbeddingChoice | undefined {
  const choice = embeddingOf(table, chatProvider, providers)
  if (choice) checkEmbeddingKey(choice)
  return choice
}

/** The same as `namedEmbedding`, but the key may be missing. @throws AgentKitError `invalid-config` */
export function embeddingOf(
  { provider: name, model: modelName, dimensions }: EmbeddingTable,
  chatProvider: ProviderId,
  providers: NamedProviders,
): EmbeddingChoice | undefined {
  if (name === undefined && modelName === undefined && dimensions === undefined) return undefined
  const own = providers.get(name ?? modelName?.split('/', 1)[0] ?? '')
  if (own) return embeddingOfNamed(own, modelName, dimensions)
  const named = modelName === undefined ? undefined : parseModelName(modelName)
  const provider =
    name === undefined ? (azureOf(modelName, chatProvider) ?? named?.provider ?? chatProvider) : parseProvider(name)
  if (!defaultModels.has(provider)) {
    throw invalidConfig(
      `${provider} has no embeddings. In [embedding] set provider to one of ${quoted([...defaultModels.keys()])}.`,
    )
  }
  const model = (named?.provider === provider ? named.model : modelName) ?? defaultModels.get(provider)
  if (model === undefined)
    throw invalidConfig(`In [embedding] set model to your ${provider} deployment of an embedding model.`)
  return { provider, model, ...(dimensions === undefined ? {} : { dimensions }) }
}

/** @throws AgentKitError `missing-key` */
function checkEmbeddingKey({ provider, model, named }: EmbeddingChoice): void {
  if (named) checkKeyOf(named)
  else if (isProviderId(provider) && !keyOf(provider) && needsKey(provider)) {
    const variables = keyVariables[provider].join(' or ')
    throw new AgentKitError('missing-key', `The embeddings of "${provider}/${model}" need a key. Set ${variables}.`, {
      provider,
    })
  }
}

function embeddingOfNamed(
  named: NamedProvider,
  modelName: string | undefined,
  dimensions: number | undefined,
): EmbeddingChoice {
  const { name, embeddings } = named
  if (embeddings === undefined) {
    throw invalidConfig(`${name} has no embeddings. If it has some, set embeddings = true in [providers.${name}].`)
  }
  const given = modelName?.startsWith(`${name}/`) ? modelName.slice(name.length + 1) : modelName
  const model = given ?? (embeddings === true ? undefined : embeddings)
  if (model === undefined || model === '') {
    throw invalidConfig(`In [embedding] set model to an embedding model of ${name}.`)
  }
  if (model !== embeddings) checkListed(named, model)
  return { provider: name, model, named, ...(dimensions === undefined ? {} : { dimensions }) }
}

/**
 * The embedding model when `[embedding]` names none: of the chat model's provider, otherwise of a provider with a key.
 *
 * @param chatProviders of the agent's models, the preferred one first
 */
export function defaultEmbedding(chatProviders: readonly ProviderId[]): EmbeddingChoice | undefined {
  // Another server with OpenAI's API may have no embeddings.
  const canEmbed = (provider: ProviderId): boolean =>
    (keyOf(provider) !== undefined || !needsKey(provider)) && !(provider === 'openai' && hasCustomServer())
  const ofChat = chatProviders.filter((provider) => availableForChat.includes(provider))
  const provider = [...ofChat, ...alwaysAvailable].find(canEmbed)
  const model = provider && defaultModels.get(provider)
  return provider && model !== undefined ? { provider, model } : undefined
}

function parseProvider(name: string): ProviderId {
  const provider = name === 'google' ? 'gemini' : name
  if (isProviderId(provider)) return provider
  throw invalidConfig(
    `The provider "${name}" in [embedding] is unknown. Set it to one of ${quoted([...defaultModels.keys()])}, or describe it in [providers.${name}].`,
  )
}

/** An Azure deployment is usually named like its model, so the name alone does not mean OpenAI. */
function azureOf(model: string | undefined, chatProvider: ProviderId): ProviderId | undefined {
  return chatProvider === 'azure' && !model?.includes('/') ? chatProvider : undefined
}

/** A model with its provider, if its name decides the provider. */
function parseModelName(name: string): ModelName | undefined {
  try {
    return resolveModelName(name)
  } catch {
    return undefined
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
