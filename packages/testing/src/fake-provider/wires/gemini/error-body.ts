import type { ErrorWords } from '../wire-spec.ts'

/** The body of an error. */
type ErrorBody = { error: { code: number; message: string; status: string; details?: object[] } }

/** An error in the format of Google's APIs: the retry delay is in its details. */
export function geminiErrorBody({ status, code, type, message, retryAfter }: ErrorWords): ErrorBody {
  const words = usual[code ?? ''] ?? usual[status] ?? (status < 500 ? usual[400] : usual[503])
  const details = [...(words?.details ?? [])]
  if (retryAfter !== undefined) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${secondsOf(retryAfter)}s` })
  }
  return {
    error: {
      code: status,
      message: message ?? words?.message ?? 'Failed.',
      status: type ?? words?.status ?? 'UNKNOWN',
      // A request that was rejected for its content has none.
      ...(details.length > 0 && code !== null && { details }),
    },
  }
}

/** Google sends a delay, never a date. */
function secondsOf(retryAfter: number | string): number {
  const seconds = Number(retryAfter)
  return Number.isNaN(seconds) ? Math.max(0, Math.ceil((Date.parse(String(retryAfter)) - Date.now()) / 1000)) : seconds
}

type Words = { status: string; message: string; details?: object[] }

const invalidKey: Words = {
  status: 'INVALID_ARGUMENT',
  message: 'API key not valid. Please pass a valid API key.',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
  ],
}

/** The usual words of a status, or of a code: Google's own, or another API's equivalent. */
const usual: Record<string, Words> = {
  400: { status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' },
  401: {
    status: 'UNAUTHENTICATED',
    message: 'Request had invalid authentication credentials. Expected OAuth 2 access token or other valid credential.',
  },
  403: { status: 'PERMISSION_DENIED', message: 'You do not have permission to access this model.' },
  404: {
    status: 'NOT_FOUND',
    message: 'models/missing is not found for API version v1beta, or is not supported for generateContent.',
  },
  429: quota('GenerateRequestsPerMinutePerProjectPerModel'),
  499: { status: 'CANCELLED', message: 'The operation was cancelled.' },
  500: { status: 'INTERNAL', message: 'An internal error has occurred. Please retry.' },
  503: { status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' },
  504: { status: 'DEADLINE_EXCEEDED', message: 'The request timed out. Please try again.' },
  API_KEY_INVALID: invalidKey,
  invalid_api_key: invalidKey,
  insufficient_quota: quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
  context_length_exceeded: {
    status: 'INVALID_ARGUMENT',
    message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  },
}

function quota(quotaId: string): Words {
  return {
    status: 'RESOURCE_EXHAUSTED',
    message: 'You exceeded your current quota, please check your plan and billing details.',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaMetric: 'generativelanguage.googleapis.com/generate_content_requests', quotaId }],
      },
    ],
  }
}
