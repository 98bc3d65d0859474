import Groq from 'groq-sdk'
import { expect, it } from 'vitest'
import { fakeProvider } from '../../fake-provider.ts'
import type { FakeScript, StreamFault } from '../script.ts'

const messages: [{ role: 'user'; content: string }] = [{ role: 'user', content: 'Hello' }]
const chat = { model: 'openai/gpt-oss-120b', messages }

type Started = AsyncDisposable & { client: Groq; server: Awaited<ReturnType<typeof fakeProvider>> }

async function start(script: FakeScript): Promise<Started> {
  const server = await fakeProvider('groq', script)
  const client = new Groq({ apiKey: 'canary-key', baseURL: server.url, maxRetries: 0, logLevel: 'off' })
  return { client, server, [Symbol.asyncDispose]: () => server.close() }
}

it('streams text, with usage in two places of the last chunk', async () => {
  const usage = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 4, reasoningTokens: 2 }
  await using fake = await start([{ text: 'Hello, Wörld 👋', usage }])
  const chunks = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello, Wörld 👋')
  expect(chunks[0]?.x_groq?.id).toMatch(/^req_/)
  const wireUsage = {
    prompt_tokens: 7,
    completion_tokens: 3,
    total_tokens: 10,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  }
  expect(chunks.at(-1)).toMatchObject({
    choices: [{ finish_reason: 'stop' }],
    usage: wireUsage,
    x_groq: { id: chunks[0]?.x_groq?.id, usage: wireUsage },
  })
})

it('streams calls whole, all in one chunk', async () => {
  await using fake = await start([{ toolCalls: [{ name: 'add', input: { a: 1 } }, { name: 'now' }] }])
  const chunks = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  expect(chunks[0]?.choices[0]?.delta.content).toBeNull()
  expect(chunks[1]?.choices[0]?.delta.tool_calls).toEqual([
    { index: 0, id: expect.any(String), type: 'function', function: { name: 'add', arguments: '{"a":1}' } },
    { index: 1, id: expect.any(String), type: 'function', function: { name: 'now', arguments: '{}' } },
  ])
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls')
})

it.each([
  ['apart from the text', {}, 'let me think', 'yes'],
  ['within the text', { reasoning_format: 'raw' as const }, '', '<think>\nlet me think\n</think>\nyes'],
  ['not at all when it is hidden', { reasoning_format: 'hidden' as const }, '', 'yes'],
  ['not at all when it is not included', { include_reasoning: false }, '', 'yes'],
])('returns reasoning %s', async (_, change, reasoning, text) => {
  const turn = { reasoning: 'let me think', text: 'yes' }
  await using fake = await start([turn, turn])
  const chunks = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, ...change, stream: true }))
  const deltas = chunks.map((chunk) => chunk.choices[0]?.delta)
  expect(deltas.map((delta) => delta?.reasoning ?? '').join('')).toBe(reasoning)
  expect(deltas.map((delta) => delta?.content ?? '').join('')).toBe(text)
  const { message } = (await fake.client.chat.completions.create({ ...chat, ...change })).choices[0] ?? {}
  expect(message).toMatchObject({ content: text, ...(reasoning && { reasoning }) })
})

it('answers whole with calls and the id of its request', async () => {
  await using fake = await start([{ toolCalls: [{ name: 'add' }], usage: null }])
  const { data, request_id } = await fake.client.chat.completions.create(chat).withResponse().then(withId)
  expect(data.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ type: 'function', function: { name: 'add', arguments: '{}' } }] },
  })
  expect(data.usage).toBeUndefined()
  expect(request_id).toMatch(/^req_/)
})

function withId<T>({ data, response }: { data: T; response: Response }): { data: T; request_id: string | null } {
  return { data, request_id: response.headers.get('x-request-id') }
}

it('lists a model, and answers 404 elsewhere', async () => {
  await using fake = await start([])
  expect((await fake.client.models.list()).data).toHaveLength(1)
  await expect(fake.client.embeddings.create({ model: 'any', input: 'a' })).rejects.toMatchObject({
    status: 404,
    error: { error: { code: 'unknown_url' } },
  })
})

it.each<[{ status: number; code?: string; retryAfter?: number }, object]>([
  [{ status: 401 }, { message: 'Invalid API Key', type: 'invalid_request_error', code: 'invalid_api_key' }],
  [
    { status: 429, retryAfter: 7 },
    { type: 'requests', code: 'rate_limit_exceeded' },
  ],
  [{ status: 500 }, { message: 'Internal Server Error', type: 'internal_server_error' }],
  [{ status: 400, code: 'context_length_exceeded' }, { code: 'context_length_exceeded' }],
  [
    { status: 400, code: 'tool_use_failed' },
    { code: 'tool_use_failed', failed_generation: expect.any(String) },
  ],
])('answers the status %j', async (turn, expected) => {
  await using fake = await start([turn])
  const error: unknown = await fake.client.chat.completions.create(chat).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ status: turn.status, error: { error: expected } })
  const headers = (error as InstanceType<typeof Groq.APIError>).headers
  expect(headers?.get('retry-after')).toBe(turn.retryAfter === undefined ? null : String(turn.retryAfter))
})

it.each<[StreamFault, object]>([
  ['error-frame', { message: 'Internal Server Error', status_code: 500 }],
  ['failed', { code: 'tool_use_failed', failed_generation: expect.any(String), status_code: 400 }],
])('ends a stream by %s', async (fault, error) => {
  await using fake = await start([{ reasoning: 'hm', fault }])
  const stream = Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  await expect(stream).rejects.toMatchObject({ error })
})

it('ends a stream with the reason in a chunk', async () => {
  await using fake = await start([{ text: 'abc', fault: 'flat-error-frame' }])
  const chunks = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: null }], x_groq: { error: 'over_capacity' } })
})

it('ends a stream early', async () => {
  await using fake = await start([{ text: 'abc', fault: 'early-eof' }])
  const chunks = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: { content: 'c' }, finish_reason: null })
  expect(JSON.stringify(fake.server.requests)).not.toContain('canary-key')
})
