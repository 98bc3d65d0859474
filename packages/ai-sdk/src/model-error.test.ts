import { AgentKitError } from '@agentkit/core'
import {
  APICallError,
  LoadAPIKeyError,
  NoSuchModelError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { RetryError } from 'ai'
import { describe, expect, it } from 'vitest'
import { toModelError } from './model-error.ts'

const context = { provider: 'acme.chat', model: 'large', secrets: ['my-secret-key'] }

function callError(fields: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({ message: 'It failed.', url: 'https://acme.example', requestBodyValues: {}, ...fields })
}

describe('an error of the AI SDK', () => {
  it.each<[string, unknown, object]>([
    ['a status', callError({ statusCode: 429 }), { code: 'rate-limit', status: 429, retryable: true }],
    [
      'a body that says more than the status',
      callError({ statusCode: 429, responseBody: '{"error":{"code":"insufficient_quota","message":"No credits."}}' }),
      { code: 'quota', retryable: false },
    ],
    [
      'an overflow of the context',
      callError({ statusCode: 400, responseBody: '{"error":{"code":"context_length_exceeded","message":"long"}}' }),
      { code: 'context-overflow', retryable: false },
    ],
    [
      'the header `retry-after`',
      callError({ statusCode: 503, responseHeaders: { 'Retry-After': '7', 'x-request-id': 'r1', 'bad name': 'x' } }),
      { code: 'overloaded', retryAfterMs: 7000, requestId: 'r1' },
    ],
    [
      'its own word on a retry: no',
      callError({ statusCode: 500, isRetryable: false }),
      { code: 'provider-error', retryable: false },
    ],
    [
      'its own word on a retry: yes',
      callError({ statusCode: 400, isRetryable: true }),
      { code: 'bad-request', retryable: true },
    ],
    [
      'a broken connection',
      callError({ isRetryable: true, cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }) }),
      { code: 'network', retryable: true },
    ],
    [
      'an answer that cannot be read',
      callError({ statusCode: 200, message: 'Invalid JSON response' }),
      { code: 'malformed-stream' },
    ],
    [
      'a name that every object has',
      Object.assign(new Error('It failed.'), { name: 'constructor' }),
      { code: 'provider-error', retryable: false },
    ],
    ['a missing key', new LoadAPIKeyError({ message: 'Set ACME_API_KEY.' }), { code: 'missing-key', retryable: false }],
    [
      'an unknown model',
      new NoSuchModelError({ modelId: 'x', modelType: 'languageModel' }),
      { code: 'model-not-found' },
    ],
    ['status 404', callError({ statusCode: 404, message: 'Not Found' }), { code: 'model-not-found', retryable: false }],
    [
      'status 404 and a body of a type that is not known',
      callError({ statusCode: 404, responseBody: '{"error":{"type":"not_found_error","message":"large"}}' }),
      { code: 'model-not-found', status: 404 },
    ],
    [
      'status 404 and another reason',
      callError({ statusCode: 404, responseBody: '{"error":{"code":"insufficient_quota","message":"No credits."}}' }),
      { code: 'quota' },
    ],
    ['what is not supported', new UnsupportedFunctionalityError({ functionality: 'audio' }), { code: 'unsupported' }],
    [
      'a frame that reports an error in another form',
      new TypeValidationError({
        value: { message: 'Overloaded', type: 'overloaded_error' },
        cause: new Error('schema'),
      }),
      { code: 'overloaded' },
    ],
    [
      'another frame of another form',
      new TypeValidationError({ value: { a: 1 }, cause: new Error('schema') }),
      { code: 'malformed-stream' },
    ],
    [
      'the last of several attempts of a wrapper',
      new RetryError({
        message: 'Failed after 3 attempts.',
        reason: 'maxRetriesExceeded',
        errors: [callError({ statusCode: 401 })],
      }),
      { code: 'auth' },
    ],
    ['a plain error', new Error('It broke.'), { code: 'provider-error', retryable: false }],
    ['a text', 'It broke.', { code: 'provider-error' }],
    ['nothing', undefined, { code: 'provider-error' }],
    [
      'an error of a stream',
      { message: 'Busy', type: 'overloaded_error', statusCode: 529, isRetryable: true },
      { code: 'overloaded', retryable: true },
    ],
  ])('with %s', (_what, error, expected) => {
    expect(toModelError(error, context)).toMatchObject({ ...expected, provider: 'acme.chat', model: 'large' })
  })

  it('stays as it is when it is ours', () => {
    const error = new AgentKitError('auth', 'No.')
    expect(toModelError(error, context)).toBe(error)
  })

  it('shows no secret, in its message and cause', () => {
    const error = toModelError(
      callError({ statusCode: 401, message: 'my-secret-key', responseBody: 'my-secret-key' }),
      context,
    )
    expect(JSON.stringify([error.message, error.cause])).not.toContain('my-secret')
  })
})
