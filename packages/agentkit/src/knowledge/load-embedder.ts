import { AgentKitError, type Embedder, isAgentKitError } from '@agentkit/core'
import { importProvider, type ProviderFactory, type ProviderSettings } from '../models/import-provider.ts'
import { keyOf, type ProviderId } from '../models/providers.ts'
import type { EmbeddingChoice } from './embedding-choice.ts'

/**
 * The embedder of a provider's package.
 *
 * @param ollamaServerUrl where Ollama listens
 * @param load how a provider's factory is come by
 * @throws AgentKitError `missing-package` when the package is not installed
 */
export async function loadEmbedder(
  { provider, model, dimensions }: EmbeddingChoice,
  ollamaServerUrl?: string,
  load: (provider: ProviderId) => Promise<ProviderFactory> = importProvider,
): Promise<Embedder> {
  const apiKey = keyOf(provider)
  const settings: ProviderSettings = apiKey ? { apiKey } : {}
  if (provider === 'ollama' && ollamaServerUrl !== undefined) settings.serverUrl = ollamaServerUrl
  const { embedder } = (await load(provider))(settings)
  if (!embedder) throw new AgentKitError('unsupported', `${provider} has no embeddings.`, { provider })
  return embedder(model, dimensions === undefined ? {} : { dimensions })
}

/**
 * The same of an embedding that nobody named: Ollama has the models that somebody has pulled, and this one may not be
 * among them.
 *
 * @returns `undefined` when it is not
 */
export async function loadUnaskedEmbedder(
  choice: EmbeddingChoice,
  ollamaServerUrl?: string,
): Promise<Embedder | undefined> {
  const embedder = await loadEmbedder(choice, ollamaServerUrl)
  if (choice.provider !== 'ollama') return embedder
  try {
    await embedder.embed(['Is it there?'], AbortSignal.timeout(120_000), 'query')
    return embedder
  } catch (error) {
    // That the server is down is no reason to build an index without vectors.
    if (isAgentKitError(error) && error.code === 'model-not-found') return undefined
    throw error
  }
}
