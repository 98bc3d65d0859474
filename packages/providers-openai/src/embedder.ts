import type { Embedder } from '@agentkit/core'
import { batchedEmbedder, type CallTimeouts, toProviderError, vectorsByIndex } from '@agentkit/wire'
import type { Connection } from './connection.ts'
import { errorContext } from './errors.ts'

export type EmbedderSettings = { dimensions?: number; timeouts: Required<CallTimeouts> }

/** The API's bound on the texts of one request; that of tokens is 300,000. */
const mostTexts = 2048

/** An embedder of an OpenAI-like server. */
export function openaiEmbedder(id: string, connection: Connection, settings: EmbedderSettings): Embedder {
  const context = errorContext(id, connection)
  const { dimensions, timeouts } = settings
  return batchedEmbedder({
    provider: 'openai',
    model: id,
    dimensions,
    timeouts,
    mostTexts,
    toError: (error) => toProviderError(error, context),
    async request(input, signal) {
      const client = await connection.client()
      // Without 'float' the SDK asks for base64, and decodes what another server sends as numbers all the same.
      const body = {
        model: id,
        input,
        encoding_format: 'float',
        ...(dimensions !== undefined && { dimensions }),
      } as const
      const answer = await client.embeddings.create(body, { signal, maxRetries: 0 })
      return vectorsByIndex(answer.data)
    },
  })
}
