import { inspect } from 'node:util'
import type { Message, ModelEvent, ModelRequest } from '@agentkit/core'
import { type Answer, loopback } from '@agentkit/test-loopback'
import { describe, expect, it } from 'vitest'
import { chunk, errorOf, json, sse, stop } from './__fixtures__/loopback.ts'
import { mistral } from './provider.ts'

const apiKey = 'test-key-5f3a9c'
const { signal } = new AbortController()
const messages: Message[] = [{ role: 'user', content: 'hi' }]

/** The events of one answer. */
async function answer(answer: Answer, request: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  await using server = await loopback(answer)
  const model = mistral({ apiKey, baseURL: server.baseURL }).model('m')
  return await Array.fromAsync(model.stream({ messages, ...request }, signal))
}

const called = (name: string, input: unknown): object => ({
  type: 'tool-call',
  callId: expect.any(String),
  name,
  input,
})

describe('an answer', () => {
  it('is streamed', async () => {
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 2,
      total_tokens: 9,
      prompt_tokens_details: { cached_tokens: 4 },
    }
    const events = await answer(
      sse(
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'grüße ' }),
        chunk({ content: '🦊' }),
        chunk({ content: '' }, { finish_reason: 'stop', usage }),
      ),
    )
    expect(events).toEqual([
      { type: 'text-delta', text: 'grüße ' },
      { type: 'text-delta', text: '🦊' },
      {
        type: 'finish',
        reason: 'stop',
        usage: { inputTokens: 7, outputTokens: 2, cachedInputTokens: 4, totalTokens: 9 },
        message: { v: 1, role: 'assistant', model: 'mistral/m', content: [{ type: 'text', text: 'grüße 🦊' }] },
      },
    ])
  })

  it('without usage has none (Q17)', async () => {
    const events = await answer(sse(chunk({ content: 'hello' }), stop))
    expect(events.at(-1)).toMatchObject({ usage: {} })
  })

  const thinking = (text: string): object => ({ type: 'thinking', thinking: [{ type: 'text', text }] })

  it('with thoughts emits them as reasoning, in pieces (Q46)', async () => {
    const events = await answer(
      sse(
        chunk({ content: [thinking('h')] }),
        chunk({ content: [thinking('m')] }),
        chunk({ content: [thinking(''), { type: 'text', text: 'hel' }] }),
        chunk({ content: 'lo' }),
        stop,
      ),
    )
    expect(events).toMatchObject([
      { type: 'reasoning-delta', text: 'h' },
      { type: 'reasoning-delta', text: 'm' },
      { type: 'text-delta', text: 'hel' },
      { type: 'text-delta', text: 'lo' },
      {
        type: 'finish',
        message: {
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'hello' },
          ],
        },
      },
    ])
  })

  it('with signed thoughts keeps the signature for their model (Q46)', async () => {
    const events = await answer(
      sse(chunk({ content: [thinking('hm')] }), chunk({ content: [{ ...thinking(''), signature: 'sig' }] }), stop),
    )
    expect(events.at(-1)).toMatchObject({
      message: {
        content: [{ type: 'reasoning', text: 'hm', opaque: { owner: 'mistral/m', data: { signature: 'sig' } } }],
      },
    })
  })

  it('that comes whole is read as well (Q46)', async () => {
    const message = { role: 'assistant', content: [thinking('hm'), { type: 'text', text: 'hello' }] }
    const events = await answer(
      json(200, {
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      }),
    )
    expect(events).toMatchObject([
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'hello' },
      { type: 'finish', reason: 'stop', usage: { totalTokens: 3 } },
    ])
  })

  it('with unknown parts is read without them, with a warning', async () => {
    const parts = [{ type: 'reference', reference_ids: [1] }, null, { type: 'text', text: 'hello' }]
    const events = await answer(sse(chunk({ content: parts }), stop))
    expect(events[0]).toEqual({ type: 'warning', message: expect.stringContaining('"reference"') })
    expect(events[1]).toEqual({ type: 'text-delta', text: 'hello' })
  })

  it.each([
    { sent: 'length', reason: 'length' },
    { sent: 'model_length', reason: 'length' },
    { sent: 'stop', reason: 'stop' },
    { sent: 'something_new', reason: 'stop' },
  ])('that ends with "$sent" ends with $reason', async ({ sent, reason }) => {
    const events = await answer(sse(chunk({ content: 'x' }, { finish_reason: sent })))
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason })
  })

  it('that ends with an error fails', async () => {
    const error = await errorOf(answer(sse(chunk({ content: 'x' }, { finish_reason: 'error' }))))
    expect(error).toMatchObject({ code: 'provider-error', retryable: true })
  })
})

describe('tool calls', () => {
  const call = (id: string | undefined, name: string | undefined, args: unknown, index?: number): object => ({
    ...(id !== undefined && { id }),
    ...(index !== undefined && { index }),
    function: { ...(name !== undefined && { name }), arguments: args },
  })
  const calls = (...tool_calls: object[]): object => chunk({ content: '', tool_calls })
  const ended = chunk({ content: '' }, { finish_reason: 'tool_calls' })

  it.each([
    { how: 'whole', chunks: [calls(call('D681PevKs', 'look', '{"a":1}', 0))] },
    { how: 'with an object for arguments (Q47)', chunks: [calls(call('D681PevKs', 'look', { a: 1 }, 0))] },
    {
      how: 'in pieces, with an empty name',
      chunks: [
        calls(call('D681PevKs', 'look', '', 0)),
        calls(call('null', '', '{"a"', 0)),
        calls(call('null', '', ':1}', 0)),
      ],
    },
    {
      how: 'in pieces without a name (Q51)',
      chunks: [calls(call('D681PevKs', 'look', '', 0)), calls(call(undefined, undefined, '{"a":1}', 0))],
    },
  ])('are read $how', async ({ chunks }) => {
    const events = await answer(sse(...chunks, ended))
    expect(events).toMatchObject([
      { type: 'tool-call', callId: 'D681PevKs', name: 'look', input: { a: 1 } },
      { type: 'finish', reason: 'tool-calls' },
    ])
  })

  it('get ids of their own where they have none (Q48)', async () => {
    const events = await answer(sse(calls(call('null', 'look', '{}', 0), call('null', 'look', '{}', 1)), ended))
    expect(events.slice(0, 2)).toMatchObject([called('look', {}), called('look', {})])
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []))
    expect(new Set(ids).size).toBe(2)
    expect(ids).not.toContain('null')
  })

  it('without ids and indexes are distinguished by their names (Q48)', async () => {
    const events = await answer(
      sse(calls(call(undefined, 'look', '{"a":1}'), call(undefined, 'look', '{"a":2}')), ended),
    )
    expect(events).toMatchObject([called('look', { a: 1 }), called('look', { a: 2 }), { type: 'finish' }])
  })

  it('without arguments have none, and broken ones are reported as they are (Q2)', async () => {
    const events = await answer(sse(calls(call('a', 'look', '', 0), call('b', 'look', '{"a":', 1)), ended))
    expect(events).toMatchObject([
      { type: 'tool-call', input: {} },
      { type: 'tool-call', input: undefined, inputText: '{"a":', invalid: expect.any(String) },
      { type: 'finish' },
    ])
  })
})

describe('a failure', () => {
  const errorBody = (message: unknown, type: string, code: string | null): object => ({
    object: 'error',
    message,
    type,
    param: null,
    code,
  })
  const overflow =
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length'

  it.each([
    { status: 401, body: { detail: 'Unauthorized' }, code: 'auth', words: 'Set MISTRAL_API_KEY' },
    { status: 422, body: { detail: ['a', { loc: 3, msg: 'b' }] }, code: 'bad-request', words: '["a",{"loc":3' },
    {
      status: 429,
      body: errorBody('Rate limit exceeded', 'rate_limited', '1300'),
      code: 'rate-limit',
      words: 'Rate limit',
    },
    {
      status: 400,
      body: errorBody('Invalid model: m', 'invalid_model', '1500'),
      code: 'model-not-found',
      words: 'Invalid',
    },
    {
      status: 400,
      body: errorBody(overflow, 'invalid_request_prompt', '3051'),
      code: 'context-overflow',
      words: 'too large',
    },
    {
      status: 422,
      body: { detail: [{ type: 'less_than', loc: ['body', 'temperature'], msg: 'Input should be less than 1.5' }] },
      code: 'bad-request',
      words: 'body.temperature: Input should be less than 1.5',
    },
    {
      status: 422,
      body: errorBody({ detail: [{ loc: ['body', 'n'], msg: 'Field required' }] }, 'invalid_request_error', null),
      code: 'bad-request',
      words: 'body.n: Field required',
    },
    {
      status: 422,
      body: { detail: [{ msg: 'Unknown model' }, { loc: [], msg: 'no tools' }] },
      code: 'bad-request',
      words: '(422): Unknown model; no tools',
    },
    { status: 500, body: errorBody('oops', 'internal_server_error', '1000'), code: 'provider-error', words: 'oops' },
    { status: 503, body: errorBody('busy', 'unreachable_backend', '1100'), code: 'overloaded', words: 'busy' },
  ])('with status $status is $code: $words', async ({ status, body, code, words }) => {
    const error = await errorOf(answer(json(status, body, { 'retry-after': '2' })))
    expect(error).toMatchObject({ code, status, provider: 'mistral', model: 'm', requestId: 'cor_1' })
    expect(error.message).toContain(words)
    expect(error.retryAfterMs).toBe(2000)
  })

  it.each([
    { error: errorBody('Rate limit exceeded', 'rate_limited', '1300'), code: 'rate-limit', retryable: true },
    { error: { ...errorBody('oops', 'internal', null), raw_status_code: 503 }, code: 'overloaded', retryable: true },
    { error: { error: { message: 'oops' } }, code: 'provider-error', retryable: true },
    { error: errorBody(overflow, 'invalid_request_prompt', '3051'), code: 'context-overflow', retryable: false },
  ])('in the middle of an answer is $code (Q14, Q49)', async ({ error, code, retryable }) => {
    const failure = await errorOf(answer(sse(chunk({ content: 'x' }), error)))
    expect(failure).toMatchObject({ code, retryable, provider: 'mistral' })
  })

  it('emits the events before it first (Q14)', async () => {
    await using server = await loopback(sse(chunk({ content: 'x' }), errorBody('oops', 'internal', null)))
    const events: ModelEvent[] = []
    const reading = (async () => {
      const model = mistral({ apiKey, baseURL: server.baseURL }).model('m')
      for await (const event of model.stream({ messages }, signal)) events.push(event)
    })()
    expect((await errorOf(reading)).message).toContain('oops')
    expect(events).toEqual([{ type: 'text-delta', text: 'x' }])
  })

  it('is an answer without an end (Q10)', async () => {
    const cut: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(chunk({ content: 'x' }))}\n\n`)
    }
    expect((await errorOf(answer(cut))).code).toBe('incomplete-stream')
  })

  it('is an answer that is not JSON', async () => {
    const broken: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('data: {"choices":[\n\n')
    }
    expect(await errorOf(answer(broken))).toMatchObject({ code: 'malformed-stream', retryable: true })
  })

  it('is an address without a server, and never exposes the key (Q22)', async () => {
    const model = mistral({ apiKey, baseURL: 'http://127.0.0.1:9' }).model('m')
    const error = await errorOf(Array.fromAsync(model.stream({ messages }, signal)))
    expect(error).toMatchObject({ code: 'network', retryable: true })
    expect(inspect(error, { depth: 9 })).not.toContain(apiKey)
  })

  it('never says the key (Q22)', async () => {
    const error = await errorOf(answer(json(401, { detail: `bad key ${apiKey}` })))
    expect(inspect(error, { depth: 9 })).not.toContain(apiKey)
  })
})

describe('a call that ends early', () => {
  const begun: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify(chunk({ content: 'x' }))}\n\n`)
  }

  it('by its signal is aborted, and closes its socket (Q11)', async () => {
    await using server = await loopback(begun)
    const controller = new AbortController()
    const model = mistral({ apiKey, baseURL: server.baseURL }).model('m')
    const reading = (async () => {
      for await (const _event of model.stream({ messages }, controller.signal)) controller.abort()
    })()
    expect((await errorOf(reading)).code).toBe('aborted')
    await server.closed
  })

  it('by its reader closes its socket (Q12)', async () => {
    await using server = await loopback(begun)
    const model = mistral({ apiKey, baseURL: server.baseURL }).model('m')
    for await (const event of model.stream({ messages }, signal)) {
      expect(event).toEqual({ type: 'text-delta', text: 'x' })
      break
    }
    await server.closed
  })

  it('before it began makes no request', async () => {
    await using server = await loopback(sse(stop))
    const model = mistral({ apiKey, baseURL: server.baseURL }).model('m')
    expect((await errorOf(Array.fromAsync(model.stream({ messages }, AbortSignal.abort())))).code).toBe('aborted')
    expect(server.requests).toEqual([])
  })

  it('by silence is a timeout (Q13, Q50)', async () => {
    await using server = await loopback(begun)
    const model = mistral({ apiKey, baseURL: server.baseURL }).model('m', { idleTimeoutMs: 20 })
    expect(await errorOf(Array.fromAsync(model.stream({ messages }, signal)))).toMatchObject({
      code: 'timeout',
      phase: 'idle',
    })
    await server.closed
  })
})

describe('the request that is sent', () => {
  it("equals the SDK's own request", async () => {
    await using server = await loopback(sse(stop))
    const model = mistral({ apiKey, baseURL: server.baseURL, headers: { 'x-team': 'red' } }).model('m')
    const call: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'tool-call', callId: 'D681PevKs', name: 'look', input: { a: 1 } },
      ],
      model: 'mistral/m',
    }
    const conversation: Message[] = [
      { role: 'user', content: [{ type: 'image', url: 'https://example.com/a.png' }] },
      call,
      { role: 'tool', callId: 'D681PevKs', name: 'look', content: 'seen' },
    ]
    const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }]
    await Array.fromAsync(
      model.stream({ messages: conversation, tools, maxOutputTokens: 5, reasoning: 'high' }, signal),
    )
    expect(server.requests).toMatchObject([
      {
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${apiKey}`, 'x-team': 'red' },
        body: {
          model: 'm',
          stream: true,
          max_tokens: 5,
          reasoning_effort: 'high',
          tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
          messages: [
            { role: 'user', content: [{ type: 'image_url', image_url: 'https://example.com/a.png' }] },
            {
              role: 'assistant',
              content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], closed: true }],
              tool_calls: [{ id: 'D681PevKs', function: { name: 'look', arguments: '{"a":1}' } }],
            },
            { role: 'tool', tool_call_id: 'D681PevKs', name: 'look', content: 'seen' },
          ],
        },
      },
    ])
  })

  it('is sent once, for any answer (Q15)', async () => {
    await using server = await loopback(json(503, {}))
    const model = mistral({ apiKey, baseURL: server.baseURL }).model('m')
    await errorOf(Array.fromAsync(model.stream({ messages }, signal)))
    expect(server.requests).toHaveLength(1)
  })

  it('warns of omitted content before the answer (Q21)', async () => {
    const events = await answer(sse(stop), {
      output: { type: 'object' },
      tools: [{ name: 'look', description: '', inputSchema: { type: 'object' } }],
    })
    expect(events).toMatchObject([{ type: 'warning' }, { type: 'finish' }])
  })
})
