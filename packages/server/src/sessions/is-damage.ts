import { isAgentKitError } from '@agentkit/core'

/** Whether a store has found what it cannot read back, and what a list leaves out. */
export function isDamage(error: unknown): boolean {
  return isAgentKitError(error) && error.code === 'storage' && !error.retryable && error.runId !== undefined
}
