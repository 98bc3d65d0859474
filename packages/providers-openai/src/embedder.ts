import type { AgentKitError, Embedder } from '@agentkit/core'
import { type EmbedderOptions, openaiEmbedder as embedderOf, toProviderError } from '@agentkit/wire'
import type { Connection } from './connection.ts'
import { errorContext } from './errors.ts'

/** An embedder of an OpenAI-like server. */
export function openaiEmbedder(id: string, connection: Connection, settings: EmbedderOptions): Embedder {
  const context = errorContext(id, connection)
  const toError = (error: unknown): AgentKitError => toProviderError(error, context)
  return embedderOf({ provider: 'openai', model: id, client: connection.client, toError, settings })
}
