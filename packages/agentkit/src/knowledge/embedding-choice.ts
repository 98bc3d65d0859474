import { AgentKitError } from '@agentkit/core'
import type { EmbeddingTable } from '../config/config-keys.ts'
import { type ModelName, resolveModelName } from '../models/model-name.ts'
import { hasCustomServer, isProviderId, keyOf, keyVariables, needsKey, type ProviderId } from '../models/providers.ts'

/** Who makes the vectors. */
export type EmbeddingChoice = { provider: ProviderId; model: string; dimensions?: number }

/** Providers that embed, in the order in which one is taken; each with the model that is taken when none is named. */
const embedding: ReadonlyMap<ProviderId, string | undefined> = new Map([
  ['openai', 'text-embedding-3-small'],
  ['mistral', 'mistral-embed'],
  ['gemini', 'gemini-embedding-001'],
  ['ollama', 'nomic-embed-text'],
  // A deployment has the name that somebody gave it.
  ['azure', undefined],
])
/** Of them, those that can be taken unasked: with a key, one model that is always there. */
const unasked: readonly ProviderId[] = ['openai', 'mistral', 'gemini']
/** Of a chat model's provider its machine is there too, though the embedding model may not be. */
const unaskedOfChat: readonly ProviderId[] = [...unasked, 'ollama']

/**
 * The embedding that `[embedding]` names.
 *
 * @param chatProvider counts where the table names none
 * @returns `undefined` for an empty table
 * @throws AgentKitError `invalid-config` for a provider that has no embeddings, and where a model must be named
 * @throws AgentKitError `missing-key`, naming the environment variables
 */
export function namedEmbedding(
  { provider: name, model: ofModel, dimensions }: EmbeddingTable,
  chatProvider: ProviderId,
): EmbeddingChoice | undefined {
  if (name === undefined && ofModel === undefined && dimensions === undefined) return undefined
  const named = ofModel === undefined ? undefined : modelNamed(ofModel)
  const provider =
    name === undefined ? (ofAzure(ofModel, chatProvider) ?? named?.provider ?? chatProvider) : providerNamed(name)
  if (!embedding.has(provider)) {
    throw invalid(
      `${provider} has no embeddings. In [embedding] set provider to one of ${quoted([...embedding.keys()])}.`,
    )
  }
  const model = (named?.provider === provider ? named.model : ofModel) ?? embedding.get(provider)
  if (model === undefined)
    throw invalid(`In [embedding] set model to your ${provider} deployment of an embedding model.`)
  if (!keyOf(provider) && needsKey(provider)) {
    const variables = keyVariables[provider].join(' or ')
    throw new AgentKitError('missing-key', `The embeddings of "${provider}/${model}" need a key. Set ${variables}.`, {
      provider,
    })
  }
  return { provider, model, ...(dimensions === undefined ? {} : { dimensions }) }
}

/**
 * The embedding that is taken where none is named: the chat model's provider's, else that of another one with a key.
 *
 * @param chatProviders of the agent's models, the preferred one first
 */
export function defaultEmbedding(chatProviders: readonly ProviderId[]): EmbeddingChoice | undefined {
  // A server of one's own that speaks OpenAI's language need not have embeddings.
  const canEmbed = (provider: ProviderId): boolean =>
    (keyOf(provider) !== undefined || !needsKey(provider)) && !(provider === 'openai' && hasCustomServer())
  const ofChat = chatProviders.filter((provider) => unaskedOfChat.includes(provider))
  const provider = [...ofChat, ...unasked].find(canEmbed)
  const model = provider && embedding.get(provider)
  return provider && model !== undefined ? { provider, model } : undefined
}

function providerNamed(name: string): ProviderId {
  const provider = name === 'google' ? 'gemini' : name
  if (isProviderId(provider)) return provider
  throw invalid(
    `In [embedding] the provider "${name}" is not known. Set it to one of ${quoted([...embedding.keys()])}.`,
  )
}

/** Azure's deployments are mostly called as the models are: the name alone does not say OpenAI. */
function ofAzure(model: string | undefined, chatProvider: ProviderId): ProviderId | undefined {
  return chatProvider === 'azure' && !model?.includes('/') ? chatProvider : undefined
}

/** A model with its provider, where the name tells it. */
function modelNamed(name: string): ModelName | undefined {
  try {
    return resolveModelName(name)
  } catch {
    return undefined
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

function invalid(message: string): AgentKitError {
  return new AgentKitError('invalid-config', message)
}
