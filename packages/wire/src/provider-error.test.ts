import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { context } from './__fixtures__/streams.ts'
import { type Failure, failureOfBody, failureOfSdkError } from './failure.ts'
import { networkError, providerError } from './provider-error.ts'
import { retryAfterMs } from './retry-after.ts'

function classify(failure: Partial<Failure>) {
  return providerError({ message: 'boom', ...failure }, context)
}

describe('providerError', () => {
  it.each<[string, Partial<Failure>, string, boolean]>([
    ['401', { status: 401 }, 'auth', false],
    ['403', { status: 403 }, 'auth', false],
    ['402', { status: 402 }, 'quota', false],
    ['429', { status: 429 }, 'rate-limit', true],
    ['429 without quota (Q15)', { status: 429, code: 'insufficient_quota' }, 'quota', false],
    ['429 of type quota', { status: 429, type: 'insufficient_quota' }, 'quota', false],
    [
      '429 with too many tokens a minute',
      { status: 429, message: 'maximum context length per minute' },
      'rate-limit',
      true,
    ],
    ['503', { status: 503 }, 'overloaded', true],
    ['529 (Q37)', { status: 529 }, 'overloaded', true],
    ['408', { status: 408 }, 'timeout', true],
    ['409', { status: 409 }, 'provider-error', true],
    ['425', { status: 425 }, 'provider-error', true],
    ['500', { status: 500 }, 'provider-error', true],
    ['502', { status: 502 }, 'provider-error', true],
    ['504', { status: 504 }, 'provider-error', true],
    ['307', { status: 307 }, 'provider-error', false],
    ['400', { status: 400 }, 'bad-request', false],
    ['404', { status: 404 }, 'bad-request', false],
    ['422', { status: 422 }, 'bad-request', false],
    ['an unknown model', { status: 404, code: 'model_not_found' }, 'model-not-found', false],
    ['an unknown model in words', { status: 404, message: 'The model `x` does not exist' }, 'model-not-found', false],
    ['a filter', { status: 400, code: 'content_filter' }, 'content-filter', false],
    ['no status', {}, 'provider-error', true],
    ['no status, but a type', { type: 'overloaded_error' }, 'overloaded', true],
    ['no status, a bad request', { type: 'invalid_request_error' }, 'bad-request', false],
    ['a code that is a property of every object', { status: 400, code: 'constructor' }, 'bad-request', false],
  ])('classifies %s', (_name, failure, code, retryable) => {
    expect(classify(failure)).toMatchObject({ code, retryable, provider: 'acme', model: 'small' })
  })

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'Your input exceeds the context window of this model.',
    "This model's maximum context length is 8192 tokens.",
    'The input token count (9) exceeds the maximum number of tokens allowed (8).',
    'Please reduce the length of the messages or completion.',
    'too large for model with 32768 maximum context length',
  ])('takes %j for an overflow (Q16)', (message) => {
    expect(classify({ status: 400, message })).toMatchObject({ code: 'context-overflow', retryable: false })
  })

  it('carries status, request id and the wait that was asked for (Q22)', () => {
    const headers = new Headers({ 'x-request-id': 'req_1', 'retry-after': '2' })
    expect(classify({ status: 429, headers })).toMatchObject({ status: 429, requestId: 'req_1', retryAfterMs: 2000 })
  })

  it('adds the fix', () => {
    const error = providerError({ status: 401, message: 'boom' }, { ...context, hint: (code) => `Fix ${code}.` })
    expect(error.message).toBe('acme refused the key (401): boom Fix auth.')
  })

  it('says of a page of HTML what it is, not what it holds', () => {
    expect(classify({ status: 502, message: '<html><body>Bad gateway' }).message).not.toContain('<')
  })

  it('cuts what the provider sent: 600 characters in the message, 4 kB in the cause (Q22)', () => {
    const error = classify({ status: 400, message: 'x'.repeat(9000), body: 'y'.repeat(9000) })
    expect(error.message.length).toBeLessThan(700)
    expect((error.cause as { body: string }).body.length).toBeLessThanOrEqual(4097)
  })

  it('carries no secret, wherever it stood (Q22)', () => {
    const words = 'Incorrect key hunter2-hunter2, Bearer abcdefgh12345678, sk-proj-0123456789abcdef'
    const headers = new Headers({ authorization: 'Bearer hunter2-hunter2' })
    const error = classify({ status: 401, message: words, body: JSON.stringify({ error: words }), headers })
    const shown = `${JSON.stringify(error)}${String(error)}${error.stack}${inspect(error, { depth: 9 })}`
    expect(shown).not.toMatch(/hunter2|abcdefgh1234|sk-proj-0123/)
  })
})

describe('networkError', () => {
  const withCode = (code: string) => Object.assign(new Error('connect'), { code })

  it.each<[string, unknown, string]>([
    ['a broken body', new TypeError('terminated', { cause: withCode('UND_ERR_SOCKET') }), 'network'],
    ['a refused connection', new TypeError('fetch failed', { cause: withCode('ECONNREFUSED') }), 'network'],
    ['a reset', withCode('ECONNRESET'), 'network'],
    [
      "Node's timer of the headers",
      new TypeError('fetch failed', { cause: withCode('UND_ERR_HEADERS_TIMEOUT') }),
      'timeout',
    ],
    ["Node's timer of the body", new TypeError('terminated', { cause: withCode('UND_ERR_BODY_TIMEOUT') }), 'timeout'],
  ])('knows %s', (_name, error, code) => {
    expect(networkError(error, context)).toMatchObject({ code, retryable: true, provider: 'acme', model: 'small' })
  })

  it.each([new Error('boom'), new SyntaxError('x'), 'boom', undefined])('leaves %s to others', (error) => {
    expect(networkError(error, context)).toBeUndefined()
  })

  it('carries no secret', () => {
    const inner = new Error('Headers.append: "Bearer hunter2-hunter2" is an invalid header value.')
    const error = networkError(new TypeError('fetch failed', { cause: inner }), context)
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
  })
})

describe('failureOfBody', () => {
  it.each([
    [{ error: { message: 'm', code: 'c', type: 't' } }, { message: 'm', code: 'c', type: 't' }],
    [
      { message: 'm', code: 'c' },
      { message: 'm', code: 'c' },
    ],
    [{ error: 'm' }, { message: 'm' }],
    [{ error: { message: 'm', code: 429 } }, { message: 'm', status: 429 }],
    [
      { error: { message: 'm', innererror: { code: 'ResponsibleAIPolicyViolation' } } },
      { code: 'ResponsibleAIPolicyViolation' },
    ],
    [{ detail: 'm' }, { message: 'm' }],
    ['m', { message: 'm' }],
    [null, { message: 'null' }],
  ])('reads %j', (body, failure) => {
    expect(failureOfBody(body)).toMatchObject(failure)
  })
})

describe('failureOfSdkError', () => {
  it('reads the one shape of several SDKs', () => {
    const headers = new Headers()
    const error = Object.assign(new Error('429 boom'), { status: 429, headers, error: { message: 'boom', code: 'c' } })
    expect(failureOfSdkError(error)).toMatchObject({ status: 429, headers, message: 'boom', code: 'c' })
  })

  it('keeps the words of an error without a body', () => {
    expect(failureOfSdkError(new Error('boom'))).toEqual({ message: 'boom' })
    expect(failureOfSdkError('boom')).toEqual({ message: 'boom' })
  })
})

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{}, undefined],
  ])('reads %j', (headers, milliseconds) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>))).toBe(milliseconds)
  })

  it('reads a date, also one that has passed', () => {
    const inTwenty = new Date(Date.now() + 20_000).toUTCString()
    const wait = retryAfterMs(new Headers({ 'retry-after': inTwenty }))
    expect(wait).toBeGreaterThan(15_000)
    expect(wait).toBeLessThanOrEqual(20_000)
    expect(retryAfterMs(new Headers({ 'retry-after': new Date(0).toUTCString() }))).toBe(0)
  })
})
