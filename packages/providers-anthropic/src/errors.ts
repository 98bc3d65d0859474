import type { AgentKitError, ErrorCode } from '@agentkit/core'
import {
  type ErrorContext,
  type Failure,
  failureOfBody,
  failureOfSdkError,
  isRecord,
  toProviderError,
} from '@agentkit/wire'
import type { Connection } from './connection.ts'
import models from './models.json' with { type: 'json' }

/** The context for errors of this model: hints for them, and secrets to redact. */
export function errorContext(model: string, { baseURL, secrets }: Connection): ErrorContext {
  return {
    provider: 'anthropic',
    model,
    secrets,
    models: Object.keys(models.models),
    hint: (code, failure) => hint(code, failure, baseURL),
  }
}

function hint(code: ErrorCode, { status }: Failure, baseURL: string): string | undefined {
  if (code === 'auth' && status !== 403) return 'Set ANTHROPIC_API_KEY, or pass apiKey.'
  if (status === 404 && /\/v1\/?$/.test(baseURL)) return 'The baseURL is the root: leave out /v1.'
  return undefined
}

/** Anything that the SDK, `fetch` or a broken body throws, as an AgentKitError. */
export function toAnthropicError(error: unknown, context: ErrorContext): AgentKitError {
  return toProviderError(error, context, (thrown) => {
    return withErrorCode(failureOfSdkError(thrown), isRecord(thrown) ? thrown.error : undefined)
  })
}

/** The failure that an error frame reports. */
export function failureOfFrame(frame: object): Failure {
  return withErrorCode(failureOfBody(frame), frame)
}

/** Newer errors name their cause in `error.details.error_code`; for a spending limit, type and status are ambiguous. */
function withErrorCode(failure: Failure, body: unknown): Failure {
  const error = isRecord(body) ? body.error : undefined
  const details = isRecord(error) ? error.details : undefined
  const code = isRecord(details) ? details.error_code : undefined
  return typeof code === 'string' && spending.test(code) ? { ...failure, code: 'billing_error' } : failure
}

const spending = /spend_limit|billing/
