import { AgentKitError, type Embedder, isAgentKitError } from '@agentkit/core'
import { messageOf, redactSecrets } from '@agentkit/core/internal'

/**
 * Wraps an error of an embedder in an error that names the embedder, without secrets. AgentKitErrors are returned
 * unchanged. For others the `status`, as most API clients set it, decides whether a retry is useful.
 */
export function embedderError({ id }: Embedder, error: unknown): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('provider-error', `The embedder ${id} failed: ${redactSecrets(messageOf(error))}`, {
    cause: error,
    ...(error instanceof Error && 'status' in error && typeof error.status === 'number' && { status: error.status }),
  })
}

/**
 * The vectors with which an embedder answered.
 * @throws AgentKitError `provider-error` for anything other than a vector of finite numbers for each text, all of one length
 */
export function checkVectors({ id }: Embedder, answer: unknown, texts: number): Float32Array[] {
  const problem = problemOf(answer, texts)
  // Without a problem it is a list of them.
  if (problem === undefined) return answer as Float32Array[]
  throw new AgentKitError('provider-error', `The embedder ${id} was given ${texts} texts and ${problem}.`)
}

function problemOf(vectors: unknown, count: number): string | undefined {
  if (!Array.isArray(vectors)) return 'did not answer with a list'
  if (vectors.length !== count) return `answered with ${vectors.length} vectors`
  const length: unknown = vectors[0]?.length
  for (const vector of vectors) {
    if (!(vector instanceof Float32Array) || vector.length === 0)
      return 'answered with what is no Float32Array of numbers'
    if (vector.length !== length) return `answered with vectors of ${length} and of ${vector.length} numbers`
    if (!vector.every(Number.isFinite)) return 'answered with a vector that has a number missing (NaN or Infinity)'
  }
  return undefined
}
