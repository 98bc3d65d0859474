import { type Embedder, type RetryOptions, withRetries } from '@agentkit/core'
import { untilAborted } from '@agentkit/core/internal'
import { checkVectors, embedderError } from '../util/embedder-error.ts'
import { unitVector } from '../util/unit-vector.ts'

/** The number of texts per request: small enough for any embedder. */
const mostTexts = 64

/**
 * The vectors of texts, scaled to length 1; undefined for a text whose vector has no direction.
 *
 * @throws AgentKitError the last error of the embedder, or `provider-error` when its answer is not a vector for each text
 */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  task: 'document' | 'query',
  signal: AbortSignal,
  retry?: RetryOptions,
): Promise<(Float32Array | undefined)[]> {
  const vectors: (Float32Array | undefined)[] = []
  for (let from = 0; from < texts.length; from += mostTexts) {
    const batch = texts.slice(from, from + mostTexts)
    const attempt = async (): Promise<unknown> => {
      try {
        return await embedder.embed(batch, signal, task)
      } catch (error) {
        throw embedderError(embedder, error)
      }
    }
    const answer = await untilAborted(signal, withRetries(attempt, signal, retry))
    vectors.push(...checkVectors(embedder, answer, batch.length).map(unitVector))
  }
  return vectors
}
