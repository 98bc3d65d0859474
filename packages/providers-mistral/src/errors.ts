import type { AgentKitError, ErrorCode } from '@agentkit/core'
import {
  type ErrorContext,
  type Failure,
  failureOfSdkError,
  isRecord,
  parseJSON,
  toProviderError,
} from '@agentkit/wire'
import type { Connection } from './connection.ts'
import models from './models.json' with { type: 'json' }

/** The context for errors of this model: hints for them, and secrets to redact. */
export function errorContext(model: string, { secrets, baseURL }: Connection): ErrorContext {
  return {
    ...{ provider: 'mistral', model, secrets, models: Object.keys(models.models) },
    hint: (code, failure) => hint(code, failure, baseURL),
  }
}

function hint(code: ErrorCode, { status }: Failure, baseURL: string | undefined): string | undefined {
  if (code === 'auth' && status !== 403) return 'Set MISTRAL_API_KEY, or pass apiKey.'
  if (status === 404 && baseURL !== undefined && /\/v1\/*$/.test(baseURL)) {
    return 'The baseURL is the root: leave out /v1.'
  }
  return undefined
}

/** Anything that the SDK, `fetch` or a broken body throws, as an AgentKitError. */
export function toMistralError(error: unknown, context: ErrorContext): AgentKitError {
  return toProviderError(error, context, (thrown) => readable(failureOfSdkError(thrown)))
}

/** Mistral reports refused fields as a JSON list of problems and their paths: here as a sentence. */
function readable(failure: Failure): Failure {
  const message = problemsOf(failure.message)
  return message === undefined ? failure : { ...failure, message }
}

function problemsOf(message: string): string | undefined {
  const body = parseJSON(message)
  const problems = isRecord(body) ? body.detail : body
  if (!Array.isArray(problems) || !problems.every(isProblem)) return undefined
  return problems.map(({ loc = [], msg }) => (loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg)).join('; ')
}

type Problem = { loc?: (string | number)[]; msg: string }

function isProblem(value: unknown): value is Problem {
  if (!isRecord(value) || typeof value.msg !== 'string') return false
  return value.loc === undefined || Array.isArray(value.loc)
}
