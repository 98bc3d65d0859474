import type { AgentKitError, Embedder } from '@agentkit/core'
import { batchedEmbedder, vectorsByIndex } from './batched-embedder.ts'
import type { Callee, CallTimeouts } from './call-watch.ts'
import type { PostingClient } from './sdk-post.ts'

export type OpenAIEmbedderEndpoint = Callee & {
  client(): Promise<PostingClient>
  /** Below the client's address; OpenAI's own when absent. */
  path?: string
  /** Shorter vectors than the model's own, where it can make them. */
  dimensions?: number | undefined
  timeouts: Required<CallTimeouts>
  /** What the SDK throws, as an AgentKitError. */
  toError(error: unknown): AgentKitError
}

/** OpenAI's bound on the texts of one request; that of tokens is 300,000. */
const mostTexts = 2048

/** An embedder of a server that speaks OpenAI's wire. */
export function openaiEmbedder(endpoint: OpenAIEmbedderEndpoint): Embedder {
  const { provider, model, client, path = '/embeddings', dimensions, timeouts, toError } = endpoint
  return batchedEmbedder({
    provider,
    model,
    dimensions,
    timeouts,
    mostTexts,
    toError,
    async request(input, signal) {
      // Without 'float' the SDK asks for base64, and decodes what another server sends as numbers all the same.
      const body = { model, input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) }
      const options = { body, signal, maxRetries: 0 }
      const response = await (await client()).post(path, options as never).asResponse()
      // Of an answer that is no object, nothing is read.
      const answer = (await response.json()) as { data?: unknown } | null
      return vectorsByIndex(answer?.data)
    },
  })
}
