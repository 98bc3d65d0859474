import type { Embedder } from '@agentkit/core'
import { batchedEmbedder, type CallTimeouts, once, vectorsByIndex } from '@agentkit/wire'
import type { EmbeddingRequest } from '@mistralai/mistralai/models/components/embeddingrequest.js'
import type { Connection } from './connection.ts'
import { errorContext, toMistralError } from './errors.ts'

export type EmbedderSettings = { dimensions?: number; timeouts: Required<CallTimeouts> }

/** The API's bounds on one request: 16,384 tokens, which are rarely less than two characters each. */
const mostTexts = 512
const mostCharacters = 32_000

const sdk = once(() => import('@mistralai/mistralai/funcs/embeddingsCreate.js'))

/** An embedder of Mistral's. */
export function mistralEmbedder(id: string, connection: Connection, settings: EmbedderSettings): Embedder {
  const context = errorContext(id, connection)
  const { dimensions, timeouts } = settings
  return batchedEmbedder({
    provider: 'mistral',
    model: id,
    dimensions,
    timeouts,
    mostTexts,
    mostCharacters,
    toError: (error) => toMistralError(error, context),
    async request(inputs, signal) {
      const { embeddingsCreate } = await sdk()
      const body: EmbeddingRequest = {
        model: id,
        inputs,
        // Of the models, few take it.
        ...(dimensions !== undefined && { outputDimension: dimensions }),
      }
      const response = await connection.send((client, options) => embeddingsCreate(client, body, options), signal)
      const answer: unknown = await response.json()
      return typeof answer === 'object' && answer !== null && 'data' in answer ? vectorsByIndex(answer.data) : undefined
    },
  })
}
