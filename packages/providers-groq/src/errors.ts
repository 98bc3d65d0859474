import type { AgentKitError, ErrorCode } from '@agentkit/core'
import { type ErrorContext, type Failure, failureOfSdkError, toProviderError } from '@agentkit/wire'
import type { Connection } from './connection.ts'
import models from './models.json' with { type: 'json' }

/** The context for errors of this model: hints for them, and secrets to redact. */
export function errorContext(model: string, { secrets }: Pick<Connection, 'secrets'>): ErrorContext {
  return { provider: 'groq', model, secrets, hint, models: Object.keys(models.models) }
}

/** Anything that the SDK, `fetch` or a broken body throws, as an AgentKitError. */
export function toGroqError(error: unknown, context: ErrorContext): AgentKitError {
  return toProviderError(error, context, failureOfGroq)
}

/** Corrects Groq's codes where they are too general. */
function failureOfGroq(error: unknown): Failure {
  const failure = failureOfSdkError(error)
  if (failure.code !== undefined && noCredit.has(failure.code)) return { ...failure, code: 'insufficient_quota' }
  // The tier `flex` has no room at the moment, whatever the body says.
  if (failure.status === 498) return { ...failure, code: 'over_capacity' }
  if (failure.status !== 413) return failure
  // A request with more tokens than a minute allows has the code of a rate limit: waiting does not help.
  const { code: _code, ...rest } = failure
  return rest
}

/** The organization has reached its own spending limit. */
const noCredit: ReadonlySet<string> = new Set(['blocked_api_access', 'spend_limit_reached'])

function hint(code: ErrorCode, { status }: Failure): string | undefined {
  if (code === 'auth' && status !== 403) return 'Set GROQ_API_KEY, or pass apiKey.'
  if (code === 'model-not-found') return 'Groq lists the ids of its models at console.groq.com/docs/models.'
  return undefined
}
