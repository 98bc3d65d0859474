import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { fakeProvider } from '../../fake-provider.ts'
import type { FakeScript, FakeStatus, StreamFault } from '../script.ts'

const user = { role: 'user', content: 'Hello' } as const
const request = { model: 'claude-sonnet-4-6', max_tokens: 100, messages: [user] }
const add = { name: 'add', input_schema: { type: 'object' as const } }
const text = 'Grüße, 世界 👋'

async function start(script: FakeScript) {
  const server = await fakeProvider('anthropic', script)
  const client = new Anthropic({ apiKey: 'sk-canary-key', baseURL: server.url, maxRetries: 0, logLevel: 'off' })
  return { client, server, [Symbol.asyncDispose]: () => server.close() }
}

describe('answers', () => {
  it('streams text, thinking and tools in the events of the API', async () => {
    const toolCalls = [{ name: 'add', input: { a: 1 } }, { name: 'now' }]
    const usage = { inputTokens: 20, cachedInputTokens: 5, cacheWriteTokens: 3, outputTokens: 9, reasoningTokens: 4 }
    await using fake = await start([{ reasoning: 'let me think', text: 'So:', toolCalls, usage, deltas: 2 }])
    const response = await fake.client.messages.create({ ...request, stream: true }).asResponse()
    const frames = (await response.text()).trimEnd().split('\n\n')
    const events = frames.map((frame) => {
      const [event = '', data = ''] = frame.split('\n')
      const json = JSON.parse(data.replace('data: ', '')) as { type: string; index?: number }
      expect(event).toBe(`event: ${json.type}`)
      return json
    })
    expect(events.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`))).toEqual([
      'message_start',
      ...['content_block_start 0', 'ping', ...deltas(0, 3), 'content_block_stop 0'],
      ...['content_block_start 1', ...deltas(1, 2), 'content_block_stop 1'],
      ...['content_block_start 2', ...deltas(2, 3), 'content_block_stop 2'],
      ...['content_block_start 3', ...deltas(3, 1), 'content_block_stop 3'],
      ...['message_delta', 'message_stop'],
    ])
    expect(events.filter((event) => event.index === 2).slice(0, 2)).toMatchObject([
      { content_block: { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'add', input: {} } },
      { delta: { type: 'input_json_delta', partial_json: '' } },
    ])
    expect(events[0]).toMatchObject({
      message: { content: [], stop_reason: null, usage: { input_tokens: 12, cache_read_input_tokens: 5 } },
    })
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 3,
        cache_read_input_tokens: 5,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 4 },
      },
    })
  })

  it('answers the same as a whole and as a stream', async () => {
    const toolCalls = [{ name: 'add', input: { a: [1] }, callId: 'toolu_1' }]
    const turn = { reasoning: 'hm', text: 'So:', toolCalls, usage: { inputTokens: 7, outputTokens: 5 } }
    await using fake = await start([turn, turn])
    const { parsed_output, ...streamed } = await fake.client.messages.stream(request).finalMessage()
    const whole = await fake.client.messages.create(request)
    expect(parsed_output).toBe(null)
    expect(whole.content).toMatchObject([
      { type: 'thinking', thinking: 'hm', signature: expect.stringMatching(/.{40}/) },
      { type: 'text', text: 'So:' },
      { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: [1] } },
    ])
    const named = { id: 'msg', content: [] }
    expect({ ...streamed, ...named }).toEqual({ ...whole, ...named })
    expect(streamed.content.slice(1)).toEqual(whole.content.slice(1))
  })

  it.each([
    [{ text: 'done' }, 'end_turn', null],
    [{ text: 'too lo', finishReason: 'length' } as const, 'max_tokens', null],
    [{ finishReason: 'content-filter' } as const, 'refusal', null],
    [{ refusal: 'I cannot.' }, 'refusal', { type: 'refusal', category: null, explanation: 'I cannot.' }],
  ])('ends %j', async (turn, stopReason, details) => {
    await using fake = await start([turn, turn])
    const whole = await fake.client.messages.create(request)
    const streamed = await fake.client.messages.stream(request).finalMessage()
    for (const message of [whole, streamed]) {
      expect(message).toMatchObject({ stop_reason: stopReason, stop_details: details })
      expect(message.content).toHaveLength('text' in turn ? 1 : 0)
    }
  })

  it('reports no usage when the script says so', async () => {
    await using fake = await start([{ text: 'a', usage: null }])
    expect(await fake.client.messages.create(request)).not.toHaveProperty('usage')
  })

  it('omits the text of thinking where the API does', async () => {
    await using fake = await start(() => ({ reasoning: 'let me think' }))
    const thoughts = async (model: string, display?: 'omitted' | 'summarized'): Promise<string | undefined> => {
      const thinking = display && { thinking: { type: 'adaptive' as const, display } }
      const message = await fake.client.messages.create({ ...request, model, ...thinking })
      return message.content[0]?.type === 'thinking' ? message.content[0].thinking : undefined
    }
    expect(await thoughts('claude-sonnet-4-6')).toBe('let me think')
    expect(await thoughts('claude-sonnet-4-6', 'omitted')).toBe('')
    expect(await thoughts('claude-opus-5-5')).toBe('')
    expect(await thoughts('claude-opus-5-5', 'summarized')).toBe('let me think')
  })

  it('sends arguments that are not JSON unchanged', async () => {
    await using fake = await start([{ toolCalls: [{ name: 'add', inputText: '{"a' }] }])
    const events = await Array.fromAsync(await fake.client.messages.create({ ...request, stream: true }))
    const pieces = events.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'input_json_delta' ? event.delta.partial_json : '',
    )
    expect(pieces.join('')).toBe('{"a')
  })
})

describe('errors', () => {
  it.each<[FakeStatus, string, string]>([
    [{ status: 400, code: 'context_length_exceeded' }, 'invalid_request_error', 'prompt is too long'],
    [{ status: 400, code: 'insufficient_quota' }, 'billing_error', 'credit balance is too low'],
    [{ status: 401 }, 'authentication_error', 'invalid x-api-key'],
    [{ status: 404, code: 'model_not_found' }, 'not_found_error', 'model: missing'],
    [{ status: 403 }, 'permission_error', 'does not have permission'],
    [{ status: 404 }, 'not_found_error', 'model: missing'],
    [{ status: 429, retryAfter: 7 }, 'rate_limit_error', 'rate limit'],
    [{ status: 500 }, 'api_error', 'Internal server error'],
    [{ status: 503 }, 'api_error', 'Service unavailable'],
    [{ status: 529 }, 'overloaded_error', 'Overloaded'],
    [{ status: 418, message: 'teapot' }, 'invalid_request_error', 'teapot'],
  ])('answers the status %j', async (turn, type, message) => {
    await using fake = await start([turn])
    const error = await fake.client.messages.create(request).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Anthropic.APIError)
    const { status, headers, requestID, error: body } = error as InstanceType<typeof Anthropic.APIError>
    expect(status).toBe(turn.status)
    expect(requestID).toMatch(/^req_/)
    expect(body).toEqual({
      type: 'error',
      error: { type, message: expect.stringContaining(message) },
      request_id: requestID,
    })
    expect(headers?.get('retry-after')).toBe(turn.retryAfter === undefined ? null : String(turn.retryAfter))
  })

  it('has the code of an error in its details', async () => {
    await using fake = await start([{ status: 429, code: 'ramp_limit_exceeded' }])
    await expect(fake.client.messages.create(request)).rejects.toMatchObject({
      error: { error: { type: 'rate_limit_error', details: { error_code: 'ramp_limit_exceeded' } } },
    })
  })

  it.each(['error-frame', 'failed'] as const)('interrupts a stream by %s', async (fault) => {
    await using fake = await start([{ text, fault }])
    const { said, error } = await listen(fake.client)
    expect(said).toBe(text)
    expect(error).toMatchObject({ status: undefined, type: 'overloaded_error' })
  })

  it.each<[StreamFault, boolean]>([
    ['cut', true],
    ['early-eof', false],
    ['garbage-frame', true],
  ])('breaks a stream by %s', async (fault, fails) => {
    await using fake = await start([{ text, fault, writes: 'split-characters' }])
    const { said, error } = await listen(fake.client)
    expect(said).toBe(text)
    expect(error !== undefined).toBe(fails)
  })

  it('streams byte by byte', async () => {
    await using fake = await start([{ text, writes: 'byte', lineEnd: '\r\n' }])
    expect(await listen(fake.client)).toEqual({ said: text })
  })
})

it('accepts a key in either header, and requires one and a known version', async () => {
  await using fake = await start(() => 'fine')
  const post = async (headers: Record<string, string>): Promise<{ status: number; error: unknown }> => {
    const body = JSON.stringify(request)
    const response = await fetch(`${fake.server.url}/v1/messages`, { method: 'POST', headers, body })
    const { error } = (await response.json()) as { error?: unknown }
    return { status: response.status, error }
  }
  const version = { 'anthropic-version': '2023-06-01' }
  expect(await post({ ...version, 'x-api-key': 'sk-test' })).toMatchObject({ status: 200 })
  expect(await post({ ...version, authorization: 'Bearer sk-test' })).toMatchObject({ status: 200 })
  expect(await post(version)).toMatchObject({ status: 401, error: { type: 'authentication_error' } })
  expect(await post({ 'x-api-key': 'sk-test' })).toMatchObject({ status: 400 })
  expect(await post({ 'x-api-key': 'sk-test', 'anthropic-version': '2024-01-01' })).toMatchObject({ status: 400 })
})

it('records requests without their key', async () => {
  await using fake = await start(['one'])
  await fake.client.messages.create(request)
  expect(fake.server.requests[0]).toMatchObject({ path: '/v1/messages', headers: { authorization: '[recorded]' } })
  expect(JSON.stringify(fake.server.requests)).not.toContain('sk-canary-key')
})

it('lists a model, and answers 404 elsewhere', async () => {
  await using fake = await start([])
  expect((await fake.client.models.list()).data).toHaveLength(1)
  await expect(fake.client.get('/v1/nowhere')).rejects.toMatchObject({ status: 404, type: 'not_found_error' })
})

it('reports the end of its script', async () => {
  await using fake = await start([])
  await expect(fake.client.messages.create(request)).rejects.toThrow('The script of this fake provider is over')
})

describe('a conversation of several turns', () => {
  const opus = { model: 'claude-opus-5-5', max_tokens: 100, system: 'Be brief.', tools: [add] }
  const call = { reasoning: 'let me think', text: 'I add.', toolCalls: [{ name: 'add' }] }

  async function afterCall(client: Anthropic) {
    const { content } = await client.messages.create({ ...opus, messages: [user] })
    const toolCall = content.find((block) => block.type === 'tool_use')
    const results = [{ type: 'tool_result' as const, tool_use_id: toolCall?.id ?? '', content: '3' }]
    return [user, { role: 'assistant' as const, content }, { role: 'user' as const, content: results }]
  }

  it('accepts its own answers, with other cache marks', async () => {
    await using fake = await start([call, 'done'])
    const messages = await afterCall(fake.client)
    const system = [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } }]
    const answer = await fake.client.messages.create({ ...opus, system, messages })
    expect(answer.content).toMatchObject([{ text: 'done' }])
  })

  it.each<[string, Partial<Anthropic.MessageCreateParamsNonStreaming>]>([
    ['The `system` prompt', { system: 'Be long.' }],
    ['The `tools` list', { tools: [{ ...add, description: 'Adds.' }] }],
  ])('keeps thinking bound to what came before it: %s', async (changed, change) => {
    await using fake = await start([call, 'done', 'done', 'done'])
    const messages = await afterCall(fake.client)
    await expect(fake.client.messages.create({ ...opus, messages, ...change })).rejects.toThrow(
      `messages.1.content.0: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
    )
    await expect(fake.client.messages.create({ ...opus, messages, ...change })).rejects.toThrow(changed)
    const dropping = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } }
    const body = { ...opus, messages, ...change, thinking: dropping as Anthropic.ThinkingConfigParam }
    await expect(fake.client.messages.create(body)).rejects.toThrow('block_binding: Extra inputs are not permitted')
    const headers = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' }
    expect((await fake.client.messages.create(body, { headers })).content).toMatchObject([{ text: 'done' }])
    const other = await fake.client.messages.create({ ...opus, messages, ...change, model: 'claude-opus-5' })
    expect(other.content).toMatchObject([{ text: 'done' }])
  })

  it('binds thinking to the messages and the thinking before it', async () => {
    await using fake = await start([call, { reasoning: 'and now', text: 'done' }, 'more'])
    const messages = await afterCall(fake.client)
    const { content } = await fake.client.messages.create({ ...opus, messages })
    const whole = [...messages, { role: 'assistant' as const, content }, user]
    const ask = (changed: Anthropic.MessageParam[]) => fake.client.messages.create({ ...opus, messages: changed })
    await expect(ask([{ role: 'user', content: 'Other' }, ...whole.slice(1)])).rejects.toThrow('A message before it')
    const moved = whole.map((message, index) =>
      index === 3 ? { role: 'assistant' as const, content: [...content, ...content.slice(0, 1)] } : message,
    )
    await expect(ask(moved)).rejects.toThrow('A `thinking` block before it')
    const bare = whole.map((message) =>
      message === whole[1] ? { ...message, content: (message.content as object[]).slice(1) } : message,
    )
    expect((await ask(bare as Anthropic.MessageParam[])).content).toMatchObject([{ text: 'more' }])
  })
})

function deltas(index: number, count: number): string[] {
  return Array.from({ length: count }, () => `content_block_delta ${index}`)
}

async function listen(client: Anthropic): Promise<{ said: string; error?: unknown }> {
  let said = ''
  try {
    for await (const event of await client.messages.create({ ...request, stream: true })) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') said += event.delta.text
    }
    return { said }
  } catch (error) {
    return { said, error }
  }
}
