import { type UsualWords, wordsOf } from '../errors.ts'
import type { ErrorWords } from '../wire-spec.ts'

/** The gateway's answer for an unknown route. */
export const noRoute = 'no Route matched with those values'

/** An error in Mistral's formats: the gateway, the request parser and the API each have their own. */
export function mistralErrorBody(error: ErrorWords, requestId: string): unknown {
  const { message, type, code } = wordsOf(error, usual)
  if (message === noRoute) return { message, request_id: requestId }
  if (error.status === 401) return { detail: message }
  if (error.status === 422) {
    return { detail: [{ type: type ?? 'value_error', loc: ['body', ...steps(error.param ?? '')], msg: message }] }
  }
  return {
    object: 'error',
    message,
    type: type ?? 'invalid_request_error',
    param: error.param ?? null,
    code: code ?? null,
    raw_status_code: error.status,
  }
}

/** The end of a failed stream, for which this API has one format. */
export const streamError = {
  object: 'error',
  message: 'Internal server error',
  type: 'internal_server_error',
  param: null,
  code: '1000',
  raw_status_code: 500,
}

/** `messages.0.user.name` as the list of a location. */
function steps(path: string): (string | number)[] {
  return path === '' ? [] : path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

const usual: UsualWords = {
  400: { message: 'The request is not valid.' },
  401: { message: 'Unauthorized' },
  403: { message: 'You do not have access to this model.', type: 'forbidden' },
  404: { message: 'Invalid model: missing', type: 'invalid_model', code: '1500' },
  422: { message: 'Field required', type: 'missing' },
  429: { message: 'Rate limit exceeded', type: 'rate_limited', code: '1300' },
  500: { message: 'Internal server error', type: 'internal_server_error', code: '1000' },
  503: {
    message: 'Service tier capacity exceeded for this model.',
    type: 'service_tier_capacity_exceeded',
    code: '3505',
  },
  529: { message: 'Overloaded', type: 'internal_server_error', code: '1000' },
  insufficient_quota: { message: 'Monthly usage limit reached.', type: 'insufficient_quota', code: null },
  context_length_exceeded: {
    message: 'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
    type: 'invalid_request_prompt',
    code: '3051',
  },
  content_filter: { message: 'The request was blocked by a guardrail.', type: 'guardrail_violation', code: null },
}
