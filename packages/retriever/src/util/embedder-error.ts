import { AgentKitError, type Embedder, isAgentKitError } from '@agentkit/core'
import { messageOf } from '@agentkit/core/internal'

/**
 * Wraps what an embedder threw in an error that names the embedder. AgentKitErrors are returned unchanged. For others the
 * `status`, as most API clients set it, decides whether a retry is useful.
 */
export function embedderError({ id }: Embedder, error: unknown): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('provider-error', `The embedder ${id} failed: ${messageOf(error)}`, {
    cause: error,
    ...(error instanceof Error && 'status' in error && typeof error.status === 'number' && { status: error.status }),
  })
}
