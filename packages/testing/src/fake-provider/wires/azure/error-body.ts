import { type UsualWords, wordsOf } from '../errors.ts'
import type { ErrorWords } from '../wire-spec.ts'

/**
 * An error in Azure's format. Errors of its gateway have a code and a message; errors of the model's API have OpenAI's
 * four fields; errors of its filter include the result of the filter.
 */
export function azureErrorBody(error: ErrorWords): unknown {
  const { message, type, code } = wordsOf(error, usual)
  if (code === 'content_filter') return { error: { ...filtered, message } }
  if (type === undefined && code != null) return { error: { code, message } }
  return { error: { message, type: type ?? 'invalid_request_error', param: error.param ?? null, code: code ?? null } }
}

const safe = { filtered: false, severity: 'safe' }

/** The result of the filter for text that passed. */
export const safeVerdict: Record<string, { filtered: boolean; severity: string }> = {
  hate: safe,
  self_harm: safe,
  sexual: safe,
  violence: safe,
}

const filtered = {
  type: null,
  param: 'prompt',
  code: 'content_filter',
  status: 400,
  innererror: {
    code: 'ResponsibleAIPolicyViolation',
    content_filter_result: {
      ...safeVerdict,
      jailbreak: { filtered: false, detected: false },
      violence: { filtered: true, severity: 'medium' },
    },
  },
}

const usual: UsualWords = {
  400: { message: 'The request is not valid.', code: 'BadRequest' },
  401: {
    message:
      'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an ' +
      'active subscription and use a correct regional API endpoint for your resource.',
    code: '401',
  },
  403: { message: 'Access denied due to Virtual Network/Firewall rules.', code: '403' },
  404: {
    message:
      'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, ' +
      'please wait a moment and try again.',
    code: 'DeploymentNotFound',
  },
  429: {
    message:
      'Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current pricing tier. ' +
      'Please retry after 1 second.',
    code: 'RateLimitReached',
  },
  500: { message: 'The server had an error while processing your request.', type: 'server_error', code: null },
  503: { message: 'The service is temporarily unable to process your request.', code: 'ServiceUnavailable' },
  529: { message: 'Overloaded', code: 'EngineOverloaded' },
  insufficient_quota: {
    message: 'You exceeded your current quota, please check your plan and billing details.',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  },
  context_length_exceeded: {
    message: "This model's maximum context length is 128000 tokens. Please reduce the length of the messages.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
  content_filter: {
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify " +
      'your prompt and retry.',
    code: 'content_filter',
  },
}
