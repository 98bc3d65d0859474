import { describe, expect, it } from 'vitest'
import { apiKey, ask, chatAnswer, fakeFetch, sse } from './__fixtures__/fake-fetch.ts'

const unfiltered = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } }

/** A refusal, with what Azure sends around it. */
function refusal(status: number, error: object, headers: Record<string, string> = {}): typeof fetch {
  const init = { status, headers: { 'content-type': 'application/json', 'apim-request-id': 'apim-1', ...headers } }
  return fakeFetch(JSON.stringify({ error }), init).fetch
}

describe('an answer of Azure', () => {
  it('is read in spite of the fields that its filters add (Q27)', async () => {
    const text = sse(
      { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: unfiltered }] },
      { choices: [{ index: 0, delta: { role: 'assistant', content: '', refusal: null } }] },
      { choices: [{ index: 0, content_filter_results: unfiltered, delta: { content: 'Hi.' } }] },
      { choices: [{ index: 0, content_filter_offsets: { check_offset: 0 }, content_filter_results: unfiltered }] },
      { choices: [{ index: 0, delta: null, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } },
    )
    const { events } = await ask(fakeFetch(text).fetch, { apiKey })
    expect(events).toMatchObject([
      { type: 'text-delta', text: 'Hi.' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 7, outputTokens: 2 } },
    ])
  })

  it('finishes with `content-filter` when a filter cuts it (Q27)', async () => {
    const text = sse(chatAnswer[0], { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] })
    const { events } = await ask(fakeFetch(text).fetch, { apiKey })
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'content-filter' })
  })

  it('is refused when a filter stops the prompt (Q27)', async () => {
    const errorBody = {
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { jailbreak: { filtered: true } } },
    }
    const { error } = await ask(refusal(400, errorBody), { apiKey })
    expect(error).toMatchObject({
      code: 'content-filter',
      provider: 'azure',
      model: 'dep',
      status: 400,
      requestId: 'apim-1',
      retryable: false,
    })
  })

  it('is not complete without a finish (Q10)', async () => {
    const { error } = await ask(fakeFetch(sse(chatAnswer[0]).replace('data: [DONE]', '')).fetch, { apiKey })
    expect(error).toMatchObject({ code: 'incomplete-stream', provider: 'azure', retryable: true })
  })

  it.each([
    {
      what: 'a wrong key',
      status: 401,
      errorBody: {
        code: '401',
        message: `Access denied due to invalid subscription key ${apiKey} or wrong API endpoint.`,
      },
      code: 'auth',
      hint: 'AZURE_OPENAI_API_KEY',
    },
    {
      what: 'a deployment that there is not',
      status: 404,
      errorBody: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' },
      code: 'model-not-found',
      hint: '"dep" is taken for the name of a deployment',
    },
    {
      what: 'an address that there is not',
      status: 404,
      errorBody: { code: '404', message: 'Resource not found' },
      code: 'bad-request',
      hint: 'Check the endpoint',
    },
    {
      what: 'a version that there is not',
      status: 400,
      errorBody: { code: 'BadRequest', message: 'API version not supported' },
      code: 'bad-request',
      hint: 'apiVersion',
    },
    {
      what: 'a model that wants the other API',
      status: 400,
      errorBody: {
        message:
          'Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. Please use /v1/responses instead.',
        type: 'invalid_request_error',
      },
      code: 'bad-request',
      hint: "Set api: 'responses'.",
    },
    {
      what: 'an option that the deployed model does not take',
      status: 400,
      errorBody: {
        message: "Unsupported value: 'temperature' does not support 0.5 with this model.",
        type: 'invalid_request_error',
        code: 'unsupported_value',
      },
      code: 'bad-request',
      hint: 'model("dep", { model: ',
    },
    {
      what: 'too much to read',
      status: 400,
      errorBody: { code: 'context_length_exceeded', message: "This model's maximum context length is 128000 tokens." },
      code: 'context-overflow',
      hint: '',
    },
  ])('is refused for $what', async ({ status, errorBody, code, hint }) => {
    const { error } = await ask(refusal(status, errorBody), { apiKey })
    expect(error).toMatchObject({ code, status, provider: 'azure', message: expect.not.stringContaining(apiKey) })
    expect((error as Error).message).toContain(hint)
  })

  it('gets no hint about the model when its name is known', async () => {
    const errorBody = { message: "Unsupported value: 'temperature'.", code: 'unsupported_value' }
    const { error } = await ask(refusal(400, errorBody), { apiKey }, { model: 'gpt-4o' })
    expect((error as Error).message).not.toContain('model("dep"')
  })

  it.each([
    ['The Responses API is needed.', {}, "Set api: 'responses'."],
    ['The chatCompletion operation does not work with the specified model, gpt-5-codex.', {}, "Set api: 'responses'."],
    ['This deployment does not support file content.', {}, "Set api: 'responses'."],
    ['Unrecognized request argument supplied: stop', {}, 'Say which model it is'],
    ['It is not supported with this model.', {}, 'Say which model it is'],
    ['The Responses API is needed.', { api: 'responses' }, ''],
  ] as const)('has its hint for %j, %o', async (message, options, hint) => {
    const { error } = await ask(refusal(400, { message }), { apiKey, ...options })
    expect((error as Error).message).toContain(hint)
    if (hint === '') expect((error as Error).message).not.toContain('Set api')
  })

  it('waits as long as a rate limit requires', async () => {
    const errorBody = {
      code: '429',
      message: 'Requests to the ChatCompletions operation have exceeded the rate limit.',
    }
    const { error } = await ask(refusal(429, errorBody, { 'retry-after': '3', 'retry-after-ms': '2500' }), { apiKey })
    expect(error).toMatchObject({ code: 'rate-limit', retryable: true, retryAfterMs: 2500 })
  })
})
