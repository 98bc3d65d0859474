import type { AgentKitError, ErrorCode } from '@agentkit/core'
import { type ErrorContext, type Failure, failureOfSdkError, toProviderError } from '@agentkit/wire'
import type { Connection } from './connection.ts'

/** What errors of this model say, and what they must not say. */
export function errorContext(model: string, { secrets }: Pick<Connection, 'secrets'>): ErrorContext {
  return { provider: 'groq', model, secrets, hint }
}

/** What the SDK, our fetch or a body that broke throws, as an AgentKitError. */
export function toGroqError(error: unknown, context: ErrorContext): AgentKitError {
  return toProviderError(error, context, failureOfGroq)
}

/** Where Groq's codes say less than they know. */
function failureOfGroq(error: unknown): Failure {
  const failure = failureOfSdkError(error)
  if (failure.code !== undefined && noCredit.has(failure.code)) return { ...failure, code: 'insufficient_quota' }
  if (failure.status !== 413) return failure
  // More tokens than a minute allows, under the code of a rate limit: to wait does not help it, to be shorter does.
  const { code: _code, ...rest } = failure
  return rest
}

/** The organization has spent what it allows itself. */
const noCredit: ReadonlySet<string> = new Set(['blocked_api_access', 'spend_limit_reached'])

function hint(code: ErrorCode, { status }: Failure): string | undefined {
  if (code === 'auth' && status !== 403) return 'Set GROQ_API_KEY, or pass apiKey.'
  if (code === 'model-not-found') return 'Groq lists the ids of its models at console.groq.com/docs/models.'
  return undefined
}
