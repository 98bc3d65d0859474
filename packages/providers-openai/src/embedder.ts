import { AgentKitError, abortError, type Embedder } from '@agentkit/core'
import { type CallTimeouts, CallWatch, type ErrorContext, wellFormed } from '@agentkit/wire'
import type { OpenAI } from 'openai'
import type { Connection } from './connection.ts'
import { errorContext, toOpenAIError } from './errors.ts'

export type EmbedderSettings = { dimensions?: number; timeouts: Required<CallTimeouts> }

/** The API's bound on the texts of one request. */
const mostTexts = 2048
/** Keeps a request under the API's bound of 300,000 tokens: a token is seldom less than a character. */
const mostCharacters = 300_000

/** An embedder of an OpenAI-like server. */
export function openaiEmbedder(id: string, connection: Connection, settings: EmbedderSettings): Embedder {
  const context = errorContext(id, connection)
  const { dimensions, timeouts } = settings
  return {
    id: `openai/${id}`,
    ...(dimensions !== undefined && { dimensions }),
    async embed(texts, signal) {
      if (signal.aborted) throw abortError(signal)
      const vectors: Float32Array[] = []
      for (const batch of batches(texts)) {
        const watch = new CallWatch(signal, timeouts, context)
        try {
          watch.start()
          const answer = await watch.race(request(await connection.client(), batch, id, dimensions, watch.signal))
          vectors.push(...toVectors(answer, batch.length, context))
        } catch (error) {
          throw watch.failure ?? toOpenAIError(error, context)
        } finally {
          watch.cancel()
        }
      }
      return vectors
    },
  }
}

function* batches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length === mostTexts || (batch.length > 0 && characters + text.length > mostCharacters)) {
      yield batch
      batch = []
      characters = 0
    }
    // The API refuses empty text.
    batch.push(wellFormed(text) || ' ')
    characters += text.length
  }
  if (batch.length > 0) yield batch
}

async function request(
  client: OpenAI,
  input: string[],
  model: string,
  dimensions: number | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  // Without 'float' the SDK asks for base64, and decodes what another server sends as numbers all the same.
  const body = { model, input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) } as const
  return await client.embeddings.create(body, { signal, maxRetries: 0 })
}

/** In the order of the texts, which `index` gives. */
function toVectors(answer: unknown, count: number, { provider, model }: ErrorContext): Float32Array[] {
  const malformed = (): AgentKitError =>
    new AgentKitError('malformed-stream', `${provider} did not answer with one vector for each of ${count} texts.`, {
      provider,
      model,
      retryable: true,
    })
  const data = isRecord(answer) ? answer.data : undefined
  if (!Array.isArray(data) || data.length !== count) throw malformed()
  const vectors: Float32Array[] = new Array(count)
  data.forEach((item: unknown, position) => {
    if (!isRecord(item) || !isVector(item.embedding)) throw malformed()
    vectors[typeof item.index === 'number' ? item.index : position] = Float32Array.from(item.embedding)
  })
  if (Object.keys(vectors).length !== count || vectors.length !== count) throw malformed()
  return vectors
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => typeof number === 'number')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
