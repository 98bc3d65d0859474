import { AgentKitError, type Embedder, isAgentKitError } from '@agentkit/core'
import { importProvider, type ProviderSettings } from '../models/import-provider.ts'
import { openaiOptions } from '../models/named-provider.ts'
import { keyOf, type ProviderId } from '../models/providers.ts'
import type { EmbeddingChoice } from './embedding-choice.ts'

/**
 * The embedder of a provider's package.
 *
 * @param ollamaServerUrl where Ollama listens
 * @throws AgentKitError `missing-package` when the package is not installed
 */
export async function loadEmbedder(
  { provider: name, model, dimensions, named }: EmbeddingChoice,
  ollamaServerUrl?: string,
): Promise<Embedder> {
  const provider = named ? 'openai' : (name as ProviderId) // all that are not named
  const apiKey = named ? undefined : keyOf(provider)
  const settings: ProviderSettings = named ? openaiOptions(named) : apiKey ? { apiKey } : {}
  if (provider === 'ollama' && ollamaServerUrl !== undefined) settings.serverUrl = ollamaServerUrl
  const { embedder } = (await importProvider(provider))(settings)
  if (!embedder) throw new AgentKitError('unsupported', `${provider} has no embeddings.`, { provider })
  return embedder(model, dimensions === undefined ? {} : { dimensions })
}

/**
 * The embedder of a default choice. Ollama has only the models that were pulled.
 * @returns `undefined` when this one is not among them
 */
export async function loadDefaultEmbedder(
  choice: EmbeddingChoice,
  ollamaServerUrl?: string,
): Promise<Embedder | undefined> {
  const embedder = await loadEmbedder(choice, ollamaServerUrl)
  if (choice.provider !== 'ollama') return embedder
  try {
    await embedder.embed(['Is it there?'], AbortSignal.timeout(120_000), 'query')
    return embedder
  } catch (error) {
    // When the server is down, the sync must fail: an index without vectors would be rebuilt later.
    if (isAgentKitError(error) && error.code === 'model-not-found') return undefined
    throw error
  }
}
