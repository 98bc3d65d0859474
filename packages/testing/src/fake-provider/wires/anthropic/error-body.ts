import { type UsualWords, wordsOf } from '../errors.ts'
import type { ErrorWords } from '../wire-spec.ts'

/** The body of an error. */
type ErrorBody = {
  type: 'error'
  error: { type: string; message: string; details?: { error_code: string } }
  request_id: string
}

/** An error in Anthropic's format. Its type follows from the status; only some have a code, in `details`. */
export function anthropicErrorBody(error: ErrorWords, requestId: string): ErrorBody {
  const kind = error.status < 500 ? 'invalid_request_error' : 'api_error'
  const { message, type = kind, code } = wordsOf(error, usual)
  const details = code ? { details: { error_code: code } } : {}
  return { type: 'error', error: { type, message, ...details }, request_id: requestId }
}

const invalidKey = { type: 'authentication_error', message: 'invalid x-api-key' }
const notFound = { type: 'not_found_error', message: 'model: missing' }
const rateLimit = {
  type: 'rate_limit_error',
  message: "This request would exceed your organization's rate limit of 50 requests per minute.",
}

const usual: UsualWords = {
  400: { type: 'invalid_request_error', message: 'The request is not valid.' },
  401: invalidKey,
  402: { type: 'billing_error', message: 'Your account has a problem with its billing.' },
  403: { type: 'permission_error', message: 'Your API key does not have permission to use the specified resource.' },
  404: notFound,
  413: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  429: rateLimit,
  500: { type: 'api_error', message: 'Internal server error' },
  503: { type: 'api_error', message: 'Service unavailable' },
  504: { type: 'timeout_error', message: 'Request timed out' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
  invalid_api_key: invalidKey,
  model_not_found: notFound,
  rate_limit_exceeded: rateLimit,
  insufficient_quota: {
    type: 'billing_error',
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase ' +
      'credits.',
  },
  context_length_exceeded: {
    type: 'invalid_request_error',
    message: 'prompt is too long: 204812 tokens > 200000 maximum',
  },
  content_filter: { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' },
}
