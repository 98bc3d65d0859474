import type { Embedder } from '@agentkit/core'
import { batchedEmbedder, boundedResponse, type EmbedderOptions, isRecord } from '@agentkit/wire'
import type { EmbedRequest } from 'ollama/browser'
import type { Connection } from './connection.ts'
import { errorContext, toOllamaError } from './errors.ts'

/** The server has no bound; but its answer comes when the last text is done, and a timer runs until then. */
const mostTexts = 128

/** A text that is too long for the model fails, instead of being cut. */
export function ollamaEmbedder(id: string, connection: Connection, settings: EmbedderOptions): Embedder {
  const context = errorContext(id, connection)
  const { dimensions } = settings
  return batchedEmbedder({
    provider: 'ollama',
    model: id,
    settings,
    mostTexts,
    load: connection.load,
    toError: (error) => toOllamaError(error, context, connection),
    async request(input, signal, _task, mostBytes) {
      const body: EmbedRequest = { model: id, input, truncate: false, ...(dimensions !== undefined && { dimensions }) }
      const response = await connection.send((client) => client.embed(body), signal)
      const answer: unknown = await (await boundedResponse(response, mostBytes, signal)).json()
      return isRecord(answer) ? answer.embeddings : undefined
    },
  })
}
