import { AgentKitError, type Embedder, type RetryOptions, withRetries } from '@agentkit/core'
import { embedderError } from '../util/embedder-error.ts'
import { unitVector } from '../util/unit-vector.ts'
import { untilAborted } from '../util/until-aborted.ts'

/** Of one request: small enough for any embedder. */
const mostTexts = 64

/**
 * The vectors of texts, of length 1; nothing for a text whose vector points nowhere.
 *
 * @throws AgentKitError what the embedder threw last, or `provider-error` for what is no list of vectors, and no error of ours
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
