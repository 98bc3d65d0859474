import type { Embedder } from '@agentkit/core'
import { batchedEmbedder, type CallTimeouts } from '@agentkit/wire'
import type { EmbedRequest } from 'ollama/browser'
import type { Connection } from './connection.ts'
import { errorContext, toOllamaError } from './errors.ts'

export type EmbedderSettings = { dimensions?: number; timeouts: Required<CallTimeouts> }

/** There is no bound; but the answer comes when the last text is done. */
const mostTexts = 128

/** An embedder of an Ollama server. A text that is too long for the model fails, instead of being cut. */
export function ollamaEmbedder(id: string, connection: Connection, settings: EmbedderSettings): Embedder {
  const context = errorContext(id, connection)
  const { dimensions, timeouts } = settings
  return batchedEmbedder({
    provider: 'ollama',
    model: id,
    dimensions,
    timeouts,
    mostTexts,
    toError: (error) => toOllamaError(error, context, connection),
    async request(input, signal) {
      const body: EmbedRequest = { model: id, input, truncate: false, ...(dimensions !== undefined && { dimensions }) }
      const response = await connection.send((client) => client.embed(body), signal)
      const answer: unknown = await response.json()
      return typeof answer === 'object' && answer !== null && 'embeddings' in answer ? answer.embeddings : undefined
    },
  })
}
