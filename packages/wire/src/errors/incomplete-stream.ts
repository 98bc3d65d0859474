import { AgentKitError } from '@agentkit/core'
import type { Callee } from './provider-error.ts'

/** The error of a stream that ended without a finish reason: it may be cut off. */
export function incompleteStream({ provider, model }: Callee): AgentKitError {
  const message = `The answer of ${provider} ended before it was complete.`
  return new AgentKitError('incomplete-stream', message, { provider, model, retryable: true })
}
