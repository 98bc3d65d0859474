import type { AgentKitError, ErrorCode } from '@agentkit/core'
import {
  type ErrorContext,
  type Failure,
  failureOfBody,
  failureOfSdkError,
  isRecord,
  parseJSON,
  toProviderError,
} from '@agentkit/wire'
import type { Connection } from './connection.ts'
import models from './models.json' with { type: 'json' }

/** The context for errors of this model: hints for them, and secrets to redact. */
export function errorContext(model: string, { secrets }: Pick<Connection, 'secrets'>): ErrorContext {
  return { provider: 'gemini', model, secrets, hint, models: Object.keys(models.models) }
}

function hint(code: ErrorCode, { status }: Failure): string | undefined {
  return code === 'auth' && status !== 403 ? 'Set GOOGLE_API_KEY or GEMINI_API_KEY, or pass apiKey.' : undefined
}

/** Anything that the SDK, `fetch` or a broken body throws, as an AgentKitError. */
export function toGeminiError(error: unknown, context: ErrorContext): AgentKitError {
  return toProviderError(error, context, failureOfGeminiError)
}

/** The failure that an error of the SDK reports: the message of its `ApiError` is the body of the answer. */
function failureOfGeminiError(error: unknown): Failure {
  const failure = failureOfSdkError(error)
  const body = failure.body === undefined && failure.status !== undefined ? parseJSON(failure.message) : undefined
  return geminiFailure(body === undefined ? failure : { ...failure, ...failureOfBody(body) })
}

/** Adds what Google reports in `details`: how long to wait, and what is wrong with the key. */
export function geminiFailure(failure: Failure): Failure {
  const detailed = { ...failure }
  const details = detailsOf(failure.body)
  const reason = details.map(({ reason }) => reason).find((reason) => typeof reason === 'string')
  const retryAfterMs = details.map(({ retryDelay }) => milliseconds(retryDelay)).find((wait) => wait !== undefined)
  if (retryAfterMs !== undefined) detailed.retryAfterMs = retryAfterMs
  if (reason === 'API_KEY_INVALID') detailed.code = 'invalid_api_key'
  else if (typeof reason === 'string') detailed.code = reason
  if (failure.status === 429) {
    // Google says "quota" also for a limit per minute.
    detailed.code = isSpent(failure.message, details) ? 'insufficient_quota' : 'rate_limit_exceeded'
  }
  return detailed
}

/** Whether the quota of the day is used up, or the model has no quota. */
function isSpent(message: string, details: readonly Detail[]): boolean {
  const quotas = details.flatMap(({ violations }) => (Array.isArray(violations) ? violations.filter(isRecord) : []))
  return noQuota.test(message) || quotas.some(({ quotaId }) => typeof quotaId === 'string' && /PerDay/.test(quotaId))
}

const noQuota = /\blimit: 0\b|credits are depleted|spending cap/i

type Detail = { reason?: unknown; retryDelay?: unknown; violations?: unknown }

function detailsOf(body: string | undefined): Detail[] {
  const [answer] = [parseJSON(body ?? '')].flat()
  const error = isRecord(answer) && isRecord(answer.error) ? answer.error : answer
  const details = isRecord(error) ? error.details : undefined
  return Array.isArray(details) ? details.filter(isRecord) : []
}

/** A duration as Google writes it: `34.5s`. */
function milliseconds(duration: unknown): number | undefined {
  const seconds = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(duration)?.[1] : undefined
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000)
}
