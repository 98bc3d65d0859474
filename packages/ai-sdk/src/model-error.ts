import { AgentKitError, type ErrorCode, isAgentKitError } from '@agentkit/core'
import {
  type ErrorContext,
  type Failure,
  failureOfBody,
  isRecord,
  parseJSON,
  providerError,
  toProviderError,
} from '@agentkit/wire'

/** The error of a call, from what a model of the AI SDK throws or sends in its stream. */
export function toModelError(thrown: unknown, context: ErrorContext): AgentKitError {
  const error = innermost(thrown)
  if (isAgentKitError(error)) return error
  if (hasStatus(error)) return withRetryable(callFailure(failureOfCall(error), context), error)
  const frame = errorFrameIn(error)
  if (frame !== undefined) return providerError(failureOfBody(frame), context)
  const code = codeOf(error)
  if (code) return named(code, error, context)
  // A frame of the provider, not an error of JavaScript.
  if (!(error instanceof Error)) return withRetryable(providerError(failureOfBody(error), context), error)
  const failed = toProviderError(error, context)
  if (failed.code !== 'provider-error' || !isRecord(error) || error.statusCode === undefined) {
    return withRetryable(failed, error)
  }
  // The answer had a good status, but could not be read.
  const { message, cause } = failed
  return new AgentKitError('malformed-stream', message, { ...context, cause })
}

/** A wrapper such as a gateway retries itself, and throws the last error within its own. */
function innermost(error: unknown): unknown {
  if (!isRecord(error) || error.name !== 'AI_RetryError') return error
  return error.lastError ?? error
}

/** An answer that begins well and breaks off has a status too. */
function hasStatus(error: unknown): error is Record<string, unknown> {
  return isRecord(error) && typeof error.statusCode === 'number' && error.statusCode >= 400
}

/** The address of a call is that of the provider's package, so 404 without another reason is a model that is not there. */
function callFailure(failure: Failure, context: ErrorContext): AgentKitError {
  const failed = providerError(failure, context)
  if (failure.status !== 404 || failed.code !== 'bad-request') return failed
  return providerError({ ...failure, code: 'model_not_found' }, context)
}

/** The body says more than the message and the status. */
function failureOfCall(error: Record<string, unknown>): Failure {
  const { statusCode, message, responseBody, responseHeaders, data } = error
  const text = typeof responseBody === 'string' ? responseBody : undefined
  const body = text === undefined ? data : (parseJSON(text) ?? text)
  const known: Partial<Failure> = isRecord(body) || Array.isArray(body) ? failureOfBody(body) : {}
  const failure: Failure = {
    ...known,
    ...ownCodes(error),
    message: typeof message === 'string' && message !== '' ? message : (known.message ?? 'The call failed.'),
    status: statusCode as number, // `hasStatus` has checked it
  }
  if (text !== undefined) failure.body = text
  const headers = headersOf(responseHeaders)
  if (headers) failure.headers = headers
  return failure
}

/** An error within a stream names its code and type itself. */
function ownCodes({ code, type }: Record<string, unknown>): Partial<Failure> {
  return { ...(typeof code === 'string' && { code }), ...(typeof type === 'string' && { type }) }
}

function headersOf(given: unknown): Headers | undefined {
  if (given instanceof Headers) return given
  if (!isRecord(given)) return undefined
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    try {
      if (typeof value === 'string') headers.set(name, value)
    } catch {
      // An invalid header cannot be one of those that are read.
    }
  }
  return headers
}

/** What the AI SDK says of a retry holds, unless the problem is the account's. */
function withRetryable(error: AgentKitError, thrown: unknown): AgentKitError {
  const { isRetryable } = isRecord(thrown) ? thrown : {}
  if (typeof isRetryable !== 'boolean' || isRetryable === error.retryable || error.code === 'quota') return error
  const { code, message, cause } = error
  return new AgentKitError(code, message, { ...error, cause, retryable: isRetryable })
}

/** A frame that reports an error in a form that the provider's package does not know. */
function errorFrameIn(error: unknown): unknown {
  if (!isRecord(error) || error.name !== 'AI_TypeValidationError' || !isRecord(error.value)) return undefined
  const { error: reported, message } = error.value
  return reported !== undefined || typeof message === 'string' ? error.value : undefined
}

function codeOf(error: unknown): ErrorCode | undefined {
  const { name } = isRecord(error) ? error : {}
  return typeof name === 'string' && Object.hasOwn(codes, name) ? codes[name] : undefined
}

/** By the names of the AI SDK's errors: its classes may be there in several copies. */
const codes: Readonly<Record<string, ErrorCode>> = {
  AI_LoadAPIKeyError: 'missing-key',
  AI_LoadSettingError: 'invalid-config',
  AI_NoSuchModelError: 'model-not-found',
  AI_NoSuchProviderError: 'model-not-found',
  AI_UnsupportedFunctionalityError: 'unsupported',
  AI_UnsupportedModelVersionError: 'unsupported',
  AI_InvalidPromptError: 'bad-request',
  AI_InvalidArgumentError: 'bad-request',
  AI_EmptyResponseBodyError: 'incomplete-stream',
  AI_InvalidResponseDataError: 'malformed-stream',
  AI_JSONParseError: 'malformed-stream',
  AI_TypeValidationError: 'malformed-stream',
  AI_NoContentGeneratedError: 'malformed-stream',
}

function named(code: ErrorCode, error: unknown, context: ErrorContext): AgentKitError {
  const { provider, model } = context
  // The message with its secrets redacted and its length bounded.
  const { message, cause } = toProviderError(error, context)
  return new AgentKitError(code, message, { provider, model, cause })
}
