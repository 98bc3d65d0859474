import type { ErrorWords } from '../wire-spec.ts'

/** The body of an OpenAI error. */
type ErrorBody = { error: { message: string; type: string; param: string | null; code: string | null } }

/** The error that ends a failing stream. */
export const streamError = {
  message: 'The server had an error processing your request. Sorry about that!',
  type: 'server_error',
  param: null,
  code: 'server_error',
}

/** An error in OpenAI's format. */
export function openAIErrorBody({ status, param = null, ...given }: ErrorWords): ErrorBody {
  const words = usual[given.code ?? ''] ?? usual[status] ?? unusual
  const { message = words.message, type = words.type, code = words.code } = given
  return { error: { message, type, param, code } }
}

/** The usual fields by status, or by a code that is more specific than its status. */
const usual: Record<string, { message: string; type: string; code: string | null }> = {
  400: { message: 'The request is not valid.', type: 'invalid_request_error', code: null },
  401: {
    message: 'Incorrect API key provided: sk-fake-********************-key. Check your API key.',
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  },
  403: { message: 'You are not allowed to use this model.', type: 'invalid_request_error', code: null },
  404: {
    message: 'The model `missing` does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    code: 'model_not_found',
  },
  429: {
    message: 'Rate limit reached for requests. Please try again in 1s.',
    type: 'requests',
    code: 'rate_limit_exceeded',
  },
  500: { message: 'The server had an error while processing your request.', type: 'server_error', code: null },
  503: {
    message: 'The engine is currently overloaded, please try again later.',
    type: 'server_error',
    code: 'service_unavailable',
  },
  529: { message: 'Overloaded', type: 'overloaded_error', code: null },
  insufficient_quota: {
    message: 'You exceeded your current quota, please check your plan and billing details.',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  },
  context_length_exceeded: {
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
  content_filter: {
    message: "The response was filtered due to the prompt triggering the provider's content management policy.",
    type: 'invalid_request_error',
    code: 'content_filter',
  },
}

const unusual: (typeof usual)[string] = { message: 'Failed.', type: 'server_error', code: null }
