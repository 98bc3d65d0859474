import type { AgentKitError, Embedder } from '@agentkit/core'
import type { Callee } from '../errors/provider-error.ts'
import { boundedResponse } from '../http/bounded-response.ts'
import type { PostingClient } from '../http/sdk-post.ts'
import { batchedEmbedder, type EmbedderOptions, vectorsByIndex } from '../provider/batched-embedder.ts'

export type OpenAIEmbedderEndpoint = Callee & {
  client(): Promise<PostingClient>
  /** The path below the client's base URL; OpenAI's when absent. */
  path?: string
  settings: EmbedderOptions
  /** Converts the SDK's errors to an AgentKitError. */
  toError(error: unknown): AgentKitError
}

/** OpenAI's limit of texts per request; the limit of tokens is 300,000. */
const mostTexts = 2048

/** An embedder on a server with OpenAI's API. */
export function openaiEmbedder(endpoint: OpenAIEmbedderEndpoint): Embedder {
  const { provider, model, client, path = '/embeddings', settings, toError } = endpoint
  const { dimensions } = settings
  return batchedEmbedder({
    provider,
    model,
    settings,
    mostTexts,
    load: client,
    toError,
    async request(input, signal, _task, mostBytes) {
      // Without 'float' the SDK requests base64, and decodes even the numbers that other servers send.
      const body = { model, input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) }
      const options = { body, signal, maxRetries: 0 }
      const response = await (await client()).post(path, options as never).asResponse()
      const bounded = await boundedResponse(response, mostBytes, signal)
      return vectorsByIndex(await bounded.json())
    },
  })
}
