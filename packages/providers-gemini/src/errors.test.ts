import { ApiError } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { googleError } from './__fixtures__/loopback.ts'
import { errorContext, toGeminiError } from './errors.ts'

/** As the SDK throws it: with the body as its message. */
function errorOf(status: number, body: unknown): unknown {
  const error = new ApiError({ status, message: JSON.stringify(body) })
  return toGeminiError(error, errorContext('m', { secrets: ['secret-key'] }))
}

const invalidKey = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
const retryInfo = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }]
const quotaOf = (quotaId: string) => [
  { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
]
const quota = 'You exceeded your current quota, please check your plan and billing details.'

describe('an error of Google', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', invalidKey, 'auth', false],
    [401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.', [], 'auth', false],
    [403, 'PERMISSION_DENIED', 'Generative Language API has not been used in project 1.', [], 'auth', false],
    [404, 'NOT_FOUND', 'models/x is not found for API version v1beta.', [], 'model-not-found', false],
    [
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      [],
      'context-overflow',
      false,
    ],
    [400, 'INVALID_ARGUMENT', 'Unsupported MIME type: image/gif', [], 'bad-request', false],
    [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted.', [], 'rate-limit', true],
    [429, 'RESOURCE_EXHAUSTED', quota, retryInfo, 'rate-limit', true],
    [429, 'RESOURCE_EXHAUSTED', quota, quotaOf('GenerateRequestsPerMinutePerProjectPerModel'), 'rate-limit', true],
    [429, 'RESOURCE_EXHAUSTED', quota, quotaOf('GenerateRequestsPerDayPerProjectPerModel'), 'quota', false],
    [429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.', [], 'quota', false],
    [429, 'RESOURCE_EXHAUSTED', `${quota} limit: 0, model: m. Please retry in 9s.`, retryInfo, 'quota', false],
    [500, 'INTERNAL', 'An internal error has occurred.', [], 'provider-error', true],
    [503, 'UNAVAILABLE', 'The model is overloaded.', [], 'overloaded', true],
    [504, 'DEADLINE_EXCEEDED', 'Deadline exceeded.', [], 'provider-error', true],
  ] as const)('%s %s "%s" has its code', (status, word, message, details, code, retryable) => {
    expect(errorOf(status, googleError(status, word, message, [...details]))).toMatchObject({
      code,
      status,
      retryable,
      provider: 'gemini',
      message: expect.stringContaining(message),
      cause: { type: word },
    })
  })

  it('reports the wait that the server asks for (Q65)', () => {
    expect(errorOf(429, [googleError(429, 'RESOURCE_EXHAUSTED', quota, retryInfo)])).toMatchObject({
      code: 'rate-limit',
      retryAfterMs: 34_070,
    })
  })

  it('names the source of the key, and never the key (Q22)', () => {
    const error = errorOf(400, googleError(400, 'INVALID_ARGUMENT', 'Bad key secret-key.', invalidKey))
    expect(error).toMatchObject({ message: expect.stringMatching(/GOOGLE_API_KEY or GEMINI_API_KEY/) })
    expect(String(error) + JSON.stringify((error as Error).cause)).not.toContain('secret-key')
  })

  it('may be no JSON', () => {
    const error = new ApiError({ status: 502, message: '<html>Bad Gateway</html>' })
    expect(toGeminiError(error, errorContext('m', { secrets: [] }))).toMatchObject({
      code: 'provider-error',
      status: 502,
      retryable: true,
    })
  })
})
