import type { Embedder } from '@agentkit/core'
import { batchedEmbedder, boundedResponse, type EmbedderOptions, once, vectorsByIndex } from '@agentkit/wire'
import type { EmbeddingRequest } from '@mistralai/mistralai/models/components/embeddingrequest.js'
import type { Connection } from './connection.ts'
import { errorContext, toMistralError } from './errors.ts'

/** The API's bounds on one request. */
const mostTexts = 256
const mostTokens = 16_384

const sdk = once(() => import('@mistralai/mistralai/funcs/embeddingsCreate.js'))

export function mistralEmbedder(id: string, connection: Connection, settings: EmbedderOptions): Embedder {
  const context = errorContext(id, connection)
  const { dimensions } = settings
  return batchedEmbedder({
    provider: 'mistral',
    model: id,
    settings,
    mostTexts,
    mostTokens,
    load: () => Promise.all([connection.load(), sdk()]),
    toError: (error) => toMistralError(error, context),
    async request(inputs, signal, _task, mostBytes) {
      const { embeddingsCreate } = await sdk()
      const body: EmbeddingRequest = {
        model: id,
        inputs,
        // Few of the models take it, and the others refuse it.
        ...(dimensions !== undefined && { outputDimension: dimensions }),
      }
      const response = await connection.send((client, options) => embeddingsCreate(client, body, options), signal)
      const bounded = await boundedResponse(response, mostBytes, signal)
      return vectorsByIndex(await bounded.json())
    },
  })
}
