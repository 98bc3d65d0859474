import { AgentKitError, type Embedder, isAgentKitError } from '@agentkit/core'
import { messageOf } from './message-of.ts'

/**
 * What an embedder threw, as an error that names it. Ours pass as they are. Of others the `status`, as the clients of
 * most APIs set it, tells whether to try again.
 */
export function embedderError({ id }: Embedder, error: unknown): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('provider-error', `The embedder ${id} failed: ${messageOf(error)}`, {
    cause: error,
    ...(error instanceof Error && 'status' in error && typeof error.status === 'number' && { status: error.status }),
  })
}
