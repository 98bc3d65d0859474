import { inspect } from 'node:util'
import type { ErrorCode } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { context } from '../__fixtures__/streams.ts'
import { retryAfterMs, shouldRetry } from './error-code.ts'
import { type Failure, failureOfBody, failureOfSdkError } from './failure.ts'
import { networkError, providerError } from './provider-error.ts'

function classify(failure: Partial<Failure>) {
  return providerError({ message: 'boom', ...failure }, context)
}

describe('providerError', () => {
  it('of an unknown model names the nearest one that is known', () => {
    const models = ['gpt-5.4', 'gpt-5.4-mini']
    const failure = { status: 404, code: 'model_not_found', message: 'No such model' }
    const of = (model: string): string => providerError(failure, { ...context, model, models }).message
    expect(of('gpt-5.4-mni')).toContain('No such model. Did you mean "gpt-5.4-mini"?')
    // A model that is known may be unavailable to this key.
    expect(of('gpt-5.4')).not.toContain('Did you mean')
    expect(of('completely-other')).not.toContain('Did you mean')
    const hint = (): string => 'The provider lists its models.'
    const withHint = (model: string): string => providerError(failure, { ...context, model, models, hint }).message
    expect(withHint('gpt-5.4-mni')).toContain('Did you mean "gpt-5.4-mini"?')
    expect(withHint('completely-other')).toContain('The provider lists its models.')
  })

  it.each([
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 130 instead.",
    "'tools' : maximum number of items is 128",
    'Too many tools: at most 64.',
  ])('says what to do about too many tools: %s', (message) => {
    const { message: said } = classify({ status: 400, message })
    expect(said).toMatch(/Give the agent fewer tools, or divide them among the members of a swarm\.$/)
  })

  it('has no advice on tools for other refusals', () => {
    expect(classify({ status: 400, message: "Invalid 'tools[3].name': too long" }).message).not.toContain('fewer tools')
  })

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
    ['499, by which Gemini cancels under load', { status: 499, type: 'CANCELLED' }, 'provider-error', true],
    ['500', { status: 500 }, 'provider-error', true],
    ['502', { status: 502 }, 'provider-error', true],
    ['504', { status: 504 }, 'provider-error', true],
    ['307', { status: 307 }, 'provider-error', false],
    ['400', { status: 400 }, 'bad-request', false],
    ['404', { status: 404 }, 'bad-request', false],
    ['422', { status: 422 }, 'bad-request', false],
    ['413', { status: 413 }, 'context-overflow', false],
    ['520', { status: 520 }, 'provider-error', true],
    ['an unknown model', { status: 404, code: 'model_not_found' }, 'model-not-found', false],
    ['an unknown model in words', { status: 404, message: 'The model `x` does not exist' }, 'model-not-found', false],
    ['a filter', { status: 400, code: 'content_filter' }, 'content-filter', false],
    ['no status', {}, 'provider-error', true],
    ['no status, but a type', { type: 'overloaded_error' }, 'overloaded', true],
    [
      'too many tokens of the answer, in words of Groq that name the window',
      {
        status: 400,
        type: 'invalid_request_error',
        message:
          '`max_completion_tokens` must be less than or equal to `131072`, the maximum value for `max_completion_tokens` ' +
          'is less than the `context_window` for this model',
      },
      'bad-request',
      false,
    ],
    ['no status, a bad request', { type: 'invalid_request_error' }, 'bad-request', false],
    ['a code that is a property of every object', { status: 400, code: 'constructor' }, 'bad-request', false],
  ])('classifies %s', (_name, failure, code, retryable) => {
    expect(classify(failure)).toMatchObject({ code, retryable, provider: 'acme', model: 'small' })
  })

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'Please reduce the length of the messages or completion.',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
    'the request exceeds the available context size. try increasing the context size',
    "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
    'Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)',
    'Range of input length should be [1, 30720]',
    'Input is too long for requested model.',
    'Error code: context_length_exceeded',
    'The decoder prompt (length 17772) is longer than the maximum model length of 16384.',
    'prompt token count of 140000 exceeds the limit of 128000',
  ])('classifies %j as an overflow (Q16)', (message) => {
    const overflow = { code: 'context-overflow', retryable: false }
    expect(classify({ status: 400, message })).toMatchObject(overflow)
    expect(classify({ status: 400, type: 'invalid_request_error', message })).toMatchObject(overflow)
    expect(classify({ status: 500, message })).toMatchObject(overflow)
    expect(classify({ message })).toMatchObject(overflow)
  })

  it.each<[string, number | undefined]>([
    ['before an answer', 429],
    ['within one', undefined],
  ])('classifies more tokens than a minute allows, %s, as an overflow (Q16)', (_name, status) => {
    const message =
      'Request too large for gpt-5.6-luna in organization org-x on tokens per min (TPM): Limit 200000, Requested 208334. ' +
      'The input or output tokens must be reduced in order to run successfully.'
    const failure = { code: 'rate_limit_exceeded', type: 'tokens', message, ...(status && { status }) }
    expect(classify(failure)).toMatchObject({ code: 'context-overflow', retryable: false })
  })

  it.each<[string, Partial<Failure>]>([
    ['in its code', { status: 400, code: 'context_length_exceeded' }],
    ['in a stop reason', { code: 'model_context_window_exceeded' }],
    ['in its type', { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' }],
  ])('classifies an overflow reported %s', (_name, failure) => {
    expect(classify(failure)).toMatchObject({ code: 'context-overflow', retryable: false })
  })

  it.each<[string, Partial<Failure>]>([
    [
      'too much for a minute, as 413',
      {
        status: 413,
        code: 'rate_limit_exceeded',
        message: 'Request too large for model `x` on tokens per minute (TPM): please reduce your message size.',
      },
    ],
    ['a long context', { status: 429, message: 'Rate limit: maximum context length requests per day reached' }],
    [
      'tokens a minute',
      {
        status: 429,
        message: "This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
      },
    ],
    ['the free tier', { status: 429, message: 'You exceeded your current quota. Please retry in 29.3s.' }],
    [
      'tokens that others have used',
      {
        status: 429,
        message: 'Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 2, Requested 9.',
      },
    ],
  ])('classifies %s as a rate limit, not as an overflow or a quota', (_name, failure) => {
    expect(classify(failure)).toMatchObject({ code: 'rate-limit', retryable: true })
  })

  it.each<[string, Partial<Failure>, string]>([
    ['a code of billing', { status: 429, code: 'billing_not_active' }, 'quota'],
    ['a type of billing', { status: 402, type: 'billing_error' }, 'quota'],
    [
      'a bad request about credit',
      { status: 400, type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
      'quota',
    ],
    ['a quota in words', { status: 429, message: 'You exceeded your current quota, please check your plan.' }, 'quota'],
    [
      "a limit of spending, in Anthropic's words",
      {
        status: 400,
        type: 'invalid_request_error',
        message: 'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
      },
      'quota',
    ],
    ['a budget of LiteLLM', { status: 429, type: 'budget_exceeded' }, 'quota'],
    [
      'a budget of LiteLLM in words',
      {
        status: 400,
        message: 'litellm.BadRequestError: Budget has been exceeded! Current cost: 14.2, Max budget: 10.0',
      },
      'quota',
    ],
    ['no balance', { status: 403, message: 'Insufficient balance' }, 'quota'],
    ['a retired model', { status: 400, code: 'model_decommissioned' }, 'model-not-found'],
    ['a model that Together does not serve', { status: 400, code: 'model_not_available' }, 'model-not-found'],
    [
      'a model that OpenRouter does not have',
      { status: 404, message: 'No endpoints found for acme/nope.' },
      'model-not-found',
    ],
    ['a model without tools', { status: 404, message: 'No endpoints found that support tool use.' }, 'bad-request'],
    ['a deployment that is not there', { status: 404, code: 'DeploymentNotFound' }, 'model-not-found'],
    [
      'a model, and no more',
      { status: 404, type: 'not_found_error', message: 'model: claude-nope' },
      'model-not-found',
    ],
    ['a model named in a bad request', { status: 400, message: 'nope is not a valid model ID' }, 'model-not-found'],
    [
      'a model under another address',
      { status: 404, message: 'models/nope is not found for API version v1beta' },
      'model-not-found',
    ],
    [
      'a flagged prompt',
      { status: 400, code: 'invalid_prompt', message: 'Your prompt was flagged as potentially violating our policy.' },
      'content-filter',
    ],
    ...[400, undefined].map((status): [string, Partial<Failure>, string] => [
      `an answer that is blocked, ${status ? 'at once' : 'within it'}`,
      {
        ...(status && { status }),
        type: 'invalid_request_error',
        message: 'Output blocked by content filtering policy',
      },
      'content-filter',
    ]),
    [
      'an answer that is asked too long',
      { status: 400, message: 'max_tokens is too large: 200000. This model supports at most 16384 completion tokens.' },
      'bad-request',
    ],
    [
      'an option that a model does not have',
      { status: 400, message: "Unsupported parameter: 'temperature' is not supported with this model." },
      'bad-request',
    ],
  ])('never retries %s', (_name, failure, code) => {
    expect(classify(failure)).toMatchObject({ code, retryable: false })
  })

  it.each<[Partial<Failure>, string, boolean]>([
    [{ status: 503 }, 'false', false],
    [{ status: 429 }, 'false', false],
    [{ status: 500 }, 'false', false],
    [{ status: 500 }, 'perhaps', true],
    [{ status: 307 }, 'true', true],
    [{ status: 400 }, 'true', false],
    [{ status: 429, code: 'insufficient_quota' }, 'true', false],
  ])('respects x-should-retry, but retries no invalid request: %j, %s', (failure, shouldRetryHeader, retryable) => {
    const headers = new Headers({ 'x-should-retry': shouldRetryHeader })
    expect(classify({ ...failure, headers })).toMatchObject({ retryable })
  })

  it.each([
    ['Rate limit reached. Please try again in 2.5s. Visit the page.', 2500],
    ['Please try again in 1m2.5s.', 62_500],
    ['Please try again in 28ms.', 28],
    ['Please try again in a while.', undefined],
  ])('waits as long as a message without headers asks for: %s', (message, wait) => {
    expect(classify({ code: 'rate_limit_exceeded', message }).retryAfterMs).toBe(wait)
    expect(classify({ code: 'server_error', message }).retryAfterMs).toBeUndefined()
    const headers = new Headers({ 'retry-after': '9' })
    expect(classify({ code: 'rate_limit_exceeded', message, headers }).retryAfterMs).toBe(9000)
  })

  it('has status, request id and the requested wait (Q22)', () => {
    const headers = new Headers({ 'x-request-id': 'req_1', 'retry-after': '2' })
    expect(classify({ status: 429, headers })).toMatchObject({ status: 429, requestId: 'req_1', retryAfterMs: 2000 })
  })

  it.each<[ErrorCode, string]>([
    ['context-overflow', 'context_length_exceeded model_context_window_exceeded exceed_context_size_error'],
    ['context-overflow', 'request_too_large'],
    ['quota', 'insufficient_quota insufficient_balance exceeded_current_quota_error billing_hard_limit_reached'],
    ['quota', 'billing_not_active billing_error budget_exceeded'],
    ['content-filter', 'content_filter content_policy_violation ResponsibleAIPolicyViolation'],
    ['model-not-found', 'model_not_found model_decommissioned model_not_available invalid_model DeploymentNotFound'],
    ['auth', 'invalid_api_key authentication_error permission_error'],
    ['rate-limit', 'rate_limit_exceeded rate_limit_error rate_limited'],
    ['overloaded', 'service_tier_capacity_exceeded overloaded_error server_is_overloaded over_capacity slow_down'],
    ['invalid-tool-call', 'tool_use_failed'],
    ['bad-request', 'invalid_request_error invalid_prompt'],
  ])('recognizes %s by the code or the type alone: %s', (code, words) => {
    for (const word of words.split(' ')) {
      expect(classify({ code: word }).code, word).toBe(code)
      expect(classify({ type: word }).code, word).toBe(code)
    }
  })

  it.each<[string, Partial<Failure>, ErrorCode]>([
    [
      'the filter of OpenRouter, which mentions credits',
      {
        status: 403,
        message: 'x requires moderation on X. Your input was flagged for "violence". No credits were charged.',
      },
      'content-filter',
    ],
    ['the filter of xAI', { status: 403, message: 'Content violates usage guidelines. Team: x' }, 'content-filter'],
    ['the filter of DeepSeek', { status: 400, message: 'Content Exists Risk' }, 'content-filter'],
    ['a key that xAI refuses', { status: 400, message: 'Incorrect API key provided: xa***bc.' }, 'auth'],
    ['a team of xAI without credits', { status: 403, message: "Your team doesn't have any credits yet." }, 'quota'],
    [
      'an overflow by the name of LiteLLM',
      { status: 400, message: 'litellm.ContextWindowExceededError: x' },
      'context-overflow',
    ],
    [
      'an overflow of TGI',
      { status: 422, message: '`inputs` tokens + `max_new_tokens` must be <= 8193.' },
      'context-overflow',
    ],
  ])('recognizes %s', (_name, failure, code) => {
    expect(classify(failure)).toMatchObject({ code, retryable: false })
  })

  it('reads what the provider behind OpenRouter has said', () => {
    const raw = '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}'
    const failure = failureOfBody({ error: { message: 'Provider returned error', code: 400, metadata: { raw } } })
    expect(providerError(failure, context)).toMatchObject({
      code: 'context-overflow',
      message: expect.stringContaining('Provider returned error: {"error":{"message":"prompt is too long'),
    })
  })

  it('reads an error that is a text, as xAI sends it', () => {
    expect(failureOfSdkError({ status: 404, error: 'The model x does not exist.', message: '404 "…"' })).toMatchObject({
      status: 404,
      message: 'The model x does not exist.',
    })
  })

  it('prefers the code to the type', () => {
    expect(classify({ code: 'insufficient_quota', type: 'rate_limit_error' }).code).toBe('quota')
  })

  it.each<[string, Partial<Failure>, ErrorCode]>([
    ['no credits', { status: 429, message: 'You have used all available credits.' }, 'quota'],
    ['a prompt that breaks a policy', { status: 400, message: 'See our content management policy.' }, 'content-filter'],
    ['a policy, in a failure of the server', { status: 500, message: 'content policy' }, 'provider-error'],
    ['a model that is not served', { status: 404, message: 'The model x is not available.' }, 'model-not-found'],
    [
      'a model that an endpoint does not have',
      { status: 404, message: 'Model x is not supported.' },
      'model-not-found',
    ],
    ['a model without access', { status: 404, message: 'Your model x: no access.' }, 'model-not-found'],
    ['an invalid model', { status: 400, message: 'Invalid model: x' }, 'model-not-found'],
    ['a model that is gone', { status: 400, message: 'The model x has been decommissioned.' }, 'model-not-found'],
    ['a model, in a failure of the server', { status: 500, message: 'Invalid model: x' }, 'provider-error'],
    ['another page that is not there', { status: 404, message: 'no such page' }, 'bad-request'],
    ['a rate in words', { message: 'rate limit: your input is too long' }, 'provider-error'],
    ['a rate beside credits', { status: 429, message: 'out of credits, retry in 3s' }, 'rate-limit'],
    ['Azure a minute', { status: 429, message: 'not enough credits perminute' }, 'rate-limit'],
  ])('reads %s', (_name, failure, code) => {
    expect(classify(failure).code).toBe(code)
  })

  it('reads the wait from a header first, then from the body', () => {
    const headers = new Headers({ 'retry-after': '2' })
    expect(classify({ status: 429, retryAfterMs: 5 }).retryAfterMs).toBe(5)
    expect(classify({ status: 429, retryAfterMs: 5, headers }).retryAfterMs).toBe(2000)
  })

  it('has the phase of a timeout, and a status only if there was one', () => {
    expect(classify({ status: 408 })).toMatchObject({ code: 'timeout', phase: 'first-byte' })
    expect(classify({ status: 500 }).phase).toBeUndefined()
    expect(classify({}).message).toBe('acme failed: boom')
  })

  it.each(['x-request-id', 'request-id', 'apim-request-id', 'mistral-correlation-id', 'x-kong-request-id'])(
    'finds the id of a request in %s',
    (name) => {
      expect(classify({ status: 500, headers: new Headers({ [name]: 'req_1' }) }).requestId).toBe('req_1')
    },
  )

  it('adds the fix', () => {
    const error = providerError({ status: 401, message: 'boom' }, { ...context, hint: (code) => `Fix ${code}.` })
    expect(error.message).toBe('acme refused the key (401): boom. Fix auth.')
  })

  it('has the request id of the body when no header has one', () => {
    const failure = failureOfBody({ request_id: 'req_1', error: { message: 'no' } })
    expect(providerError(failure, context).requestId).toBe('req_1')
    const headers = new Headers({ 'x-kong-request-id': 'req_2' })
    expect(providerError({ ...failure, headers }, context).requestId).toBe('req_2')
  })

  it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
    'says how to trust a server, and does not try again: %s',
    (code) => {
      const error = new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })
      expect(networkError(error, context)).toMatchObject({
        code: 'network',
        retryable: false,
        message: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      })
    },
  )

  it('has a status once in the message', () => {
    expect(failureOfSdkError({ status: 404, message: '404 page not found' }).message).toBe('page not found')
    expect(failureOfSdkError({ status: 500, message: '404 pages' }).message).toBe('404 pages')
  })

  it.each(['<html>down</html>', '502 <html>down</html>', '<!doctype html>'])(
    'describes %s as a page of HTML',
    (message) => {
      expect(providerError({ status: 502, message }, context).message).toContain('a page of HTML')
    },
  )

  it('does not classify a number in brackets as a page of HTML', () => {
    const { message } = providerError(
      { status: 400, message: '<400> InternalError: the arguments are no JSON' },
      context,
    )
    expect(message).toContain('the arguments are no JSON')
  })

  it('describes a page of HTML without its content', () => {
    expect(classify({ status: 502, message: '<html><body>Bad gateway' }).message).not.toContain('<')
  })

  it('cuts the names that an error frame of any length has', () => {
    const long = 'x'.repeat(1_000_000)
    const error = providerError(
      failureOfBody({ error: { message: 'm', code: long, type: long, request_id: long } }),
      context,
    )
    expect(error.requestId).toBe('x'.repeat(200))
    expect(inspect(error, { depth: 9, maxStringLength: null }).length).toBeLessThan(10_000)
  })

  it("cuts the provider's text: 600 characters in the message, 4 kB in the cause (Q22)", () => {
    const error = classify({ status: 400, message: 'x'.repeat(9000), body: 'y'.repeat(9000) })
    expect(error.message.length).toBeLessThan(700)
    expect((error.cause as { body: string }).body.length).toBeLessThanOrEqual(4097)
  })

  it.each(['model ', 'model', 'input token count', ' _', '<', '3', 'per ', 'retry in '])(
    'reads a megabyte of %j in a moment',
    (words) => {
      const message = words.repeat(1_000_000 / words.length)
      const before = process.cpuUsage()
      for (const status of [400, 404, 429]) classify({ status, message, body: message })
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(1_000)
    },
  )

  it('contains no secret (Q22)', () => {
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
    ['an answer that is no HTTP', withCode('HPE_INVALID_CONSTANT'), 'network'],
    ['compressed bytes that break off', withCode('Z_BUF_ERROR'), 'network'],
    [
      "Node's timer of the headers",
      new TypeError('fetch failed', { cause: withCode('UND_ERR_HEADERS_TIMEOUT') }),
      'timeout',
    ],
    ["Node's timer of the body", new TypeError('terminated', { cause: withCode('UND_ERR_BODY_TIMEOUT') }), 'timeout'],
  ])('knows %s', (_name, error, code) => {
    expect(networkError(error, context)).toMatchObject({ code, retryable: true, provider: 'acme', model: 'small' })
  })

  it.each([
    'UND_ERR_SOCKET ECONNABORTED ENOTFOUND EAI_AGAIN EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH',
    'ERR_TLS_HANDSHAKE_TIMEOUT ERR_SSL_WRONG_VERSION_NUMBER ERR_HTTP2_STREAM_ERROR CERT_HAS_EXPIRED Z_DATA_ERROR',
  ])('recognizes a broken connection by its code alone: %s', (codes) => {
    for (const code of codes.split(' ')) expect(networkError(withCode(code), context)?.code, code).toBe('network')
  })

  it.each(['terminated', 'fetch failed', 'Premature close', 'socket hang up', 'other side closed'])(
    'knows a broken connection by its words alone: %s',
    (words) => {
      expect(networkError(new Error(words), context)).toMatchObject({ code: 'network', message: expect.any(String) })
      expect(networkError(new Error(`We ${words} it`), context)?.code).toBe(
        /terminated|fetch/.test(words) ? undefined : 'network',
      )
    },
  )

  it.each([
    ['APIConnectionError', 'network'],
    ['APIConnectionTimeoutError', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ])('recognizes %s by the name or the class of the error', (name, code) => {
    const named = Object.assign(new Error('no'), { name })
    class Made extends Error {}
    Object.defineProperty(Made, 'name', { value: name })
    const made = new Made('no')
    expect([named, made].map((error) => networkError(error, context)?.code)).toEqual([code, code])
  })

  it.each([
    [
      407,
      false,
      /^The proxy refused the connection to acme \(407\)\. It asks for a name and a password: .* in HTTPS_PROXY\.$/,
    ],
    [403, false, /\(403\)\. Look at its rules/],
    [502, true, /\(502\)/],
  ])('says that a proxy has answered %i', (status, retryable, words) => {
    const refused = new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`)
    const error = new TypeError('fetch failed', { cause: Object.assign(refused, { code: 'UND_ERR_ABORTED' }) })
    const message = expect.stringMatching(words)
    expect(networkError(error, context)).toMatchObject({ code: 'network', retryable, message })
  })

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])(
    'suggests to check the address after %s, with the code',
    (code) => {
      expect(networkError(withCode(code), context)?.message).toContain(`failed (${code}). Check the address.`)
      expect(networkError(withCode('EPIPE'), context)?.message).not.toContain('Check')
    },
  )

  it('reads five causes, and no more', () => {
    const nested = (depth: number): Error =>
      depth === 0 ? withCode('EPIPE') : new Error('no', { cause: nested(depth - 1) })
    expect([nested(4), nested(5)].map((error) => networkError(error, context)?.code)).toEqual(['network', undefined])
  })

  it('has the phase of a timer of Node, and cuts its message', () => {
    expect(networkError(withCode('UND_ERR_HEADERS_TIMEOUT'), context)).toMatchObject({ phase: 'first-byte' })
    expect(networkError(withCode('UND_ERR_BODY_TIMEOUT'), context)).toMatchObject({ phase: 'idle' })
    const long = Object.assign(new Error('x'.repeat(9000)), { code: 'EPIPE' })
    expect(inspect(networkError(long, context)?.cause).length).toBeLessThan(800)
  })

  it.each([new Error('boom'), new SyntaxError('x'), 'boom', undefined])('returns undefined for %s', (error) => {
    expect(networkError(error, context)).toBeUndefined()
  })

  it('contains no secret', () => {
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
    [
      { error: '{"error":{"code":400,"message":"m","type":"exceed_context_size_error"}}' },
      { message: 'm', type: 'exceed_context_size_error', body: expect.stringContaining('{"error":"{') },
    ],
    [{ error: { message: 'm', code: 429 } }, { message: 'm', status: 429 }],
    [
      { error: { message: 'm', innererror: { code: 'ResponsibleAIPolicyViolation' } } },
      { code: 'ResponsibleAIPolicyViolation' },
    ],
    [[{ error: { message: 'm' } }], { message: 'm' }],
    [[], { message: '[]' }],
    [{ error: null, message: 'm' }, { message: 'm' }],
    [{ error: '[1]' }, { message: '[1]', body: '{"error":"[1]"}' }],
    [{ error: { message: 'm', status: 503 } }, { status: 503 }],
    [{ error: { message: 'm', raw_status_code: 503 } }, { status: 503 }],
    [{ error: { message: 'm', status_code: 413 } }, { status: 413 }],
    [{ error: { message: 'm', http_status_code: 422 } }, { status: 422 }],
    [
      { statusCode: 400, error: 'Bad Request', message: 'm' },
      { message: 'm', code: 'Bad Request' },
    ],
    [
      { status: 429, error: 'insufficient_quota', message: 'm' },
      { message: 'm', code: 'insufficient_quota' },
    ],
    [{ error: true, message: 'm' }, { message: 'm' }],
    [{ error: { message: 'm', code: '' }, status_code: 429 }, { status: 429 }],
    [{ error: { message: 'm', status: 'INVALID_ARGUMENT' } }, { type: 'INVALID_ARGUMENT' }],
    [{ error: { message: 'm', code: 'c', innererror: { code: 'd' } } }, { message: 'm', code: 'c' }],
    [{ error: { message: 'm', request_id: 'r' } }, { requestId: 'r' }],
    [{ error: { kind: 'odd' } }, { message: '{"kind":"odd"}' }],
    [undefined, { message: 'undefined' }],
    [{ detail: 'm' }, { message: 'm' }],
    ['m', { message: 'm' }],
    [null, { message: 'null' }],
  ])('reads %j', (body, failure) => {
    expect(failureOfBody(body)).toMatchObject(failure)
  })

  it.each([
    [{ error: { message: 'm', code: 200, status: 600 } }],
    [{ error: { message: 'm', type: 3, failed_generation: 4, innererror: { code: 5 } }, request_id: 6 }],
  ])('ignores fields of the wrong type: %j', (body) => {
    expect(failureOfBody(body)).toEqual({ message: 'm', body: JSON.stringify(body) })
  })
})

describe('failureOfSdkError', () => {
  it('reads the common shape of several SDKs', () => {
    const headers = new Headers()
    const error = Object.assign(new Error('429 boom'), { status: 429, headers, error: { message: 'boom', code: 'c' } })
    expect(failureOfSdkError(error)).toMatchObject({ status: 429, headers, message: 'boom', code: 'c' })
  })

  it('keeps the message of an error without a body', () => {
    expect(failureOfSdkError(new Error('boom'))).toEqual({ message: 'boom' })
    expect(failureOfSdkError('boom')).toEqual({ message: 'boom' })
    expect(failureOfSdkError({ status: 500, message: '500 status code (no body)' }).message).toBe('it gave no reason.')
  })
})

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': '1e999' }, undefined],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after-ms': 'soon', 'retry-after': '3' }, 3000],
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

  it.each([3_600_000, -3_600_000])('reads a date by the clock of the server, which is %i ms ahead', (aheadMs) => {
    const now = Date.now() + aheadMs
    const date = new Date(now).toUTCString()
    const headers = new Headers({ date, 'retry-after': new Date(now + 20_000).toUTCString() })
    expect(retryAfterMs(headers)).toBe(20_000)
    expect(retryAfterMs(new Headers({ date, 'retry-after': new Date(0).toUTCString() }))).toBe(0)
  })
})

describe('a tool call that cannot be parsed (Q52)', () => {
  it("is reported with the model's output, without secrets", () => {
    const error = { message: 'boom', code: 'tool_use_failed', failed_generation: '{"key": "hunter2-hunter2"' }
    expect(providerError(failureOfBody({ error }), context)).toMatchObject({
      code: 'invalid-tool-call',
      retryable: false,
      cause: { code: 'tool_use_failed', failedGeneration: '{"key": "[redacted]"' },
    })
  })
})

describe('shouldRetry', () => {
  it('reads true and false, and nothing else', () => {
    const results = ['true', 'false', 'yes'].map((value) => shouldRetry(new Headers({ 'x-should-retry': value })))
    expect([...results, shouldRetry(new Headers()), shouldRetry(undefined)]).toEqual([
      true,
      false,
      undefined,
      undefined,
      undefined,
    ])
  })
})
