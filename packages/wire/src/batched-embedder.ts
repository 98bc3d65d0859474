import { AgentKitError, abortError, type Embedder } from '@agentkit/core'
import { type Callee, type CallTimeouts, CallWatch } from './call-watch.ts'
import { wellFormed } from './text.ts'

export type BatchedEmbedderOptions = Callee & {
  dimensions?: number | undefined
  timeouts: Required<CallTimeouts>
  /** The API's bound on the texts of one request. */
  mostTexts: number
  /** Keeps a request under the API's bound of tokens; 300,000 when absent. */
  mostCharacters?: number
  /**
   * Asks for the vectors of one batch.
   * @returns one list of numbers for each text, in the order of the texts
   */
  request(texts: string[], signal: AbortSignal, task: 'document' | 'query' | undefined): Promise<unknown>
  toError(error: unknown): AgentKitError
}

/** An embedder that asks for as many vectors at once as the API gives. For every provider. */
export function batchedEmbedder(options: BatchedEmbedderOptions): Embedder {
  const { provider, model, dimensions, timeouts, mostTexts, mostCharacters = 300_000, request, toError } = options
  return {
    id: `${provider}/${model}`,
    ...(dimensions !== undefined && { dimensions }),
    async embed(texts, signal, task) {
      if (signal.aborted) throw abortError(signal)
      const vectors: Float32Array[] = []
      for (const batch of batches(texts, mostTexts, mostCharacters)) {
        const watch = new CallWatch(signal, timeouts, options)
        try {
          watch.start()
          const answer = await watch.race(request(batch, watch.signal, task))
          vectors.push(...toVectors(answer, batch.length, options))
        } catch (error) {
          throw watch.failure ?? toError(error)
        } finally {
          watch.cancel()
        }
      }
      return vectors
    },
  }
}

function* batches(texts: readonly string[], mostTexts: number, mostCharacters: number): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length === mostTexts || (batch.length > 0 && characters + text.length > mostCharacters)) {
      yield batch
      batch = []
      characters = 0
    }
    // The APIs refuse empty text.
    batch.push(wellFormed(text) || ' ')
    characters += text.length
  }
  if (batch.length > 0) yield batch
}

function toVectors(answer: unknown, count: number, { provider, model }: Callee): Float32Array[] {
  if (Array.isArray(answer) && answer.length === count && answer.every(isVector)) {
    return answer.map((vector) => Float32Array.from(vector))
  }
  const message = `${provider} did not answer with one vector for each of ${count} texts.`
  throw new AgentKitError('malformed-stream', message, { provider, model, retryable: true })
}

/**
 * Puts the items of an embeddings answer in the order of the texts, which `index` gives.
 * @param data what the API calls `data`: `{ index, embedding }` for each text
 */
export function vectorsByIndex(data: unknown): unknown {
  if (!Array.isArray(data)) return undefined
  const vectors: unknown[] = []
  data.forEach((item: unknown, position) => {
    if (typeof item !== 'object' || item === null) return
    const { index, embedding } = item as { index?: unknown; embedding?: unknown }
    vectors[typeof index === 'number' ? index : position] = embedding
  })
  return Array.from(vectors)
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => typeof number === 'number')
}
