import { type UsualWords, wordsOf } from '../errors.ts'
import type { ErrorWords } from '../wire-spec.ts'

/** Output of a model that is not a valid tool call. */
const failedGeneration = '<function=add{"a": 1, "b": </function>'

/** An error in Groq's format: OpenAI's, without empty fields. */
export function groqErrorBody(error: ErrorWords): { error: object } {
  const { message, type = 'invalid_request_error', code } = wordsOf(error, usual)
  return {
    error: {
      message,
      type,
      ...(error.param && { param: error.param }),
      ...(code && { code }),
      ...(code === 'tool_use_failed' && { failed_generation: failedGeneration }),
    },
  }
}

/** An error that ends a stream; it contains the status that it would have had. */
export function streamError(error: ErrorWords): { error: object } {
  return { error: { ...groqErrorBody(error).error, status_code: error.status } }
}

const usual: UsualWords = {
  400: { message: 'The request is not valid.' },
  401: { message: 'Invalid API Key', code: 'invalid_api_key' },
  403: { message: 'You do not have access to this model.', type: 'permissions_error' },
  404: {
    message: 'The model `missing` does not exist or you do not have access to it.',
    code: 'model_not_found',
  },
  413: {
    message: 'Request too large for model `fake` on tokens per minute (TPM): Limit 6000, Requested 9000.',
    type: 'tokens',
    code: 'rate_limit_exceeded',
  },
  429: {
    message: 'Rate limit reached for model `fake` on requests per minute (RPM). Please try again in 1s.',
    type: 'requests',
    code: 'rate_limit_exceeded',
  },
  498: { message: 'Flex tier capacity exceeded. Please try again later.', code: 'flex_tier_capacity_exceeded' },
  500: { message: 'Internal Server Error', type: 'internal_server_error' },
  503: { message: 'Service Unavailable', type: 'internal_server_error', code: 'service_unavailable' },
  529: { message: 'Overloaded', type: 'internal_server_error', code: 'over_capacity' },
  insufficient_quota: { message: 'Your organization reached its spend limit.', code: 'spend_limit_reached' },
  context_length_exceeded: {
    message: 'Please reduce the length of the messages or completion.',
    code: 'context_length_exceeded',
  },
  tool_use_failed: {
    message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    code: 'tool_use_failed',
  },
  content_filter: { message: 'The request was refused by a safety model.', code: 'content_filter' },
}
