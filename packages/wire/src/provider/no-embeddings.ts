import { AgentKitError } from '@agentkit/core'

/**
 * Refuses an embedder of a provider that has none, and says who has.
 * @throws AgentKitError `unsupported`, always
 */
export function noEmbeddings(vendor: string, provider: string, model: string): never {
  const message = `${vendor} has no embeddings. Use those of OpenAI, Azure, Mistral, Gemini or Ollama.`
  throw new AgentKitError('unsupported', message, { provider, model })
}
