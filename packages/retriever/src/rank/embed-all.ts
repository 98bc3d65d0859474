import { AgentKitError, type Embedder, type RetryOptions, withRetries } from '@agentkit/core'
import { untilAborted } from '@agentkit/core/internal'
import { embedderError } from '../util/embedder-error.ts'
import { unitVector } from '../util/unit-vector.ts'

/** The number of texts per request: small enough for any embedder. */
const mostTexts = 64

/**
 * The vectors of texts, scaled to length 1; undefined for a text whose vector has no direction.
 *
 * @throws AgentKitError the last error of the embedder, or `provider-error` when it returns no list of vectors
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
    if (
      !Array.isArray(answer) ||
      answer.length !== batch.length ||
      !answer.every((item) => item instanceof Float32Array)
    ) {
      throw new AgentKitError(
        'provider-error',
        `The embedder ${embedder.id} was given ${batch.length} texts and did not answer with as many vectors.`,
      )
    }
    vectors.push(...answer.map(unitVector))
  }
  return vectors
}
