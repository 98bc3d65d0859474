import { describe, expect, it } from 'vitest'
import { answer, apiKey, ask, fakeFetch, question, sse } from './__fixtures__/fake-fetch.ts'

const failed = {
  message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
  type: 'invalid_request_error',
  code: 'tool_use_failed',
  failed_generation: '{"name": "search", "arguments": {"query": 7',
}

/** A refusal, with what Groq sends around it. */
function refusal(status: number, error: object, headers: Record<string, string> = {}): typeof fetch {
  const init = { status, headers: { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers } }
  return fakeFetch(JSON.stringify({ error }), init).fetch
}

describe('an answer of Groq', () => {
  it('comes as deltas, calls and usage, which may be in two places (Q55)', async () => {
    const text = sse(
      { choices: [{ delta: { role: 'assistant', content: null, reasoning: 'Hm. ' } }] },
      { choices: [{ delta: { reasoning: 'Yes.' } }] },
      { choices: [{ delta: { content: 'Looking.' } }] },
      {
        choices: [
          {
            delta: { tool_calls: [{ index: 0, id: 'a1b2c3d4e', function: { name: 'search', arguments: '{"q":1}' } }] },
          },
        ],
      },
      {
        choices: [{ delta: {}, finish_reason: 'tool_calls' }],
        x_groq: {
          id: 'req_1',
          usage: {
            prompt_tokens: 7,
            completion_tokens: 5,
            total_tokens: 12,
            prompt_tokens_details: { cached_tokens: 3 },
          },
        },
      },
    )
    const { events } = await ask(fakeFetch(text).fetch)
    expect(events.map(({ type }) => type)).toEqual([
      'reasoning-delta',
      'reasoning-delta',
      'text-delta',
      'tool-call',
      'finish',
    ])
    expect(events.at(-1)).toMatchObject({
      reason: 'tool-calls',
      usage: { inputTokens: 7, outputTokens: 5, cachedInputTokens: 3, totalTokens: 12 },
      message: {
        model: 'groq/openai/gpt-oss-120b',
        content: [
          { type: 'reasoning', text: 'Hm. Yes.' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool-call', callId: 'a1b2c3d4e', name: 'search', input: { q: 1 } },
        ],
      },
    })
  })

  it('fails with `invalid-tool-call` when a call cannot be read, with the text of the model in its cause (Q52)', async () => {
    const { events, error } = await ask(refusal(400, failed))
    expect(events).toEqual([])
    expect(error).toMatchObject({
      code: 'invalid-tool-call',
      provider: 'groq',
      model: 'openai/gpt-oss-120b',
      status: 400,
      requestId: 'req_1',
      retryable: false,
      cause: { code: 'tool_use_failed', failedGeneration: failed.failed_generation },
    })
  })

  it('fails so in the middle of the stream too, after the reasoning (Q52, Q14)', async () => {
    const thought = { choices: [{ delta: { reasoning: 'Hm.' } }] }
    const frame = JSON.stringify({ error: { ...failed, status_code: 400 } })
    const text = `data: ${JSON.stringify(thought)}\n\nevent: error\ndata: ${frame}\n\ndata: [DONE]\n\n`
    const { events, error } = await ask(fakeFetch(text).fetch)
    expect(events).toEqual([{ type: 'reasoning-delta', text: 'Hm.' }])
    expect(error).toMatchObject({
      code: 'invalid-tool-call',
      cause: { failedGeneration: failed.failed_generation },
    })
  })

  it('is not complete without a finish (Q10)', async () => {
    const { error } = await ask(fakeFetch(sse(answer[0]).replace('data: [DONE]', '')).fetch)
    expect(error).toMatchObject({ code: 'incomplete-stream', provider: 'groq', retryable: true })
  })

  it.each([
    [401, { message: `Invalid API Key ${apiKey}`, code: 'invalid_api_key' }, 'auth', 'Set GROQ_API_KEY'],
    [404, { message: 'The model `m` does not exist', code: 'model_not_found' }, 'model-not-found', 'console.groq.com'],
    [400, { message: 'The model `m` has been decommissioned', code: 'model_decommissioned' }, 'model-not-found', ''],
    [
      400,
      { message: 'Please reduce the length of the messages.', code: 'context_length_exceeded' },
      'context-overflow',
      '',
    ],
    [503, { message: 'Service unavailable' }, 'overloaded', ''],
  ] as const)('is refused with %d: %o', async (status, errorBody, code, hint) => {
    const { error } = await ask(refusal(status, errorBody))
    expect(error).toMatchObject({
      code,
      status,
      message: expect.not.stringContaining(apiKey),
    })
    expect((error as Error).message).toContain(hint)
  })

  it('waits as long as a rate limit requires', async () => {
    const errorBody = { message: 'Rate limit reached for model', type: 'tokens', code: 'rate_limit_exceeded' }
    const { error } = await ask(refusal(429, errorBody, { 'retry-after': '7' }))
    expect(error).toMatchObject({ code: 'rate-limit', retryable: true, retryAfterMs: 7000 })
  })

  it('is too long, not too early, when one request has more tokens than a minute allows', async () => {
    const message =
      'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.'
    const { error } = await ask(refusal(413, { message, type: 'tokens', code: 'rate_limit_exceeded' }))
    expect(error).toMatchObject({ code: 'context-overflow', retryable: false })
  })

  it.each(['blocked_api_access', 'spend_limit_reached'])('is not tried again without money: %s', async (code) => {
    const { error } = await ask(refusal(429, { message: 'API access blocked due to spend limit.', code }))
    expect(error).toMatchObject({ code: 'quota', retryable: false })
  })

  it('may be tried again when the tier has no room', async () => {
    const errorBody = {
      message: 'Flex tier capacity exceeded',
      type: 'invalid_request_error',
      code: 'capacity_exceeded',
    }
    const { error } = await ask(refusal(498, errorBody))
    expect(error).toMatchObject({ code: 'overloaded', retryable: true, status: 498 })
  })

  it('fails when Groq stops it early and says why', async () => {
    const { error } = await ask(fakeFetch(sse(answer[0], { choices: [], x_groq: { error: 'over_capacity' } })).fetch)
    expect(error).toMatchObject({ code: 'overloaded', retryable: true, cause: { code: 'over_capacity' } })
  })

  it('emits its warnings first', async () => {
    const { events } = await ask(fakeFetch().fetch, { ...question, output: { type: 'object' } })
    expect(events.map(({ type }) => type)).toEqual(['warning', 'text-delta', 'finish'])
  })
})
