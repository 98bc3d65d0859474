import type { AgentKitError, Embedder } from '@agentkit/core'
import { type CallTimeouts, openaiEmbedder as embedderOf, toProviderError } from '@agentkit/wire'
import type { Connection } from './connection.ts'
import { errorContext } from './errors.ts'

export type EmbedderSettings = { dimensions?: number; timeouts: Required<CallTimeouts> }

/** An embedder of an OpenAI-like server. */
export function openaiEmbedder(id: string, connection: Connection, settings: EmbedderSettings): Embedder {
  const context = errorContext(id, connection)
  const toError = (error: unknown): AgentKitError => toProviderError(error, context)
  return embedderOf({ provider: 'openai', model: id, client: connection.client, toError, ...settings })
}
