import { AgentKitError } from '@agentkit/core'
import type { Callee } from './provider-error.ts'

/** The stream ended, and the answer never said why: to take it for a whole one would hide that it was cut. */
export function incompleteStream({ provider, model }: Callee): AgentKitError {
  const message = `The answer of ${provider} ended before it was complete.`
  return new AgentKitError('incomplete-stream', message, { provider, model, retryable: true })
}
