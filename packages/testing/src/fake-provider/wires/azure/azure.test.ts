import OpenAI, { AzureOpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import { type FakeProvider, fakeProvider } from '../../fake-provider.ts'
import type { FakeScript } from '../script.ts'

const user = { role: 'user' as const, content: 'Hello' }
const chat = { model: 'my-gpt-41', messages: [user] }
const responses = { model: 'my-gpt-52', input: [user], store: false }

type Started = AsyncDisposable & { client: AzureOpenAI; v1: OpenAI; server: FakeProvider }

async function start(script: FakeScript, apiVersion = '2025-04-01-preview'): Promise<Started> {
  const server = await fakeProvider('azure', script)
  const settings = { apiKey: 'canary-key', maxRetries: 0, logLevel: 'off' as const }
  const client = new AzureOpenAI({ ...settings, endpoint: server.url, apiVersion, baseURL: null })
  const v1 = new OpenAI({ ...settings, baseURL: `${server.url}/openai/v1` })
  return { client, v1, server, [Symbol.asyncDispose]: () => server.close() }
}

it('streams text between the results of the filter', async () => {
  await using fake = await start([{ text: 'Hello, Wörld 👋', usage: { inputTokens: 7, outputTokens: 3 } }])
  const chunks = await Array.fromAsync(
    await fake.client.chat.completions.create({ ...chat, stream: true, stream_options: { include_usage: true } }),
  )
  expect(chunks[0]).toMatchObject({ id: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] })
  const late = chunks.filter((chunk) => chunk.choices[0] && !('delta' in chunk.choices[0]))
  expect(late).toMatchObject([{ choices: [{ content_filter_results: { hate: { filtered: false } } }] }])
  expect(chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('')).toBe('Hello, Wörld 👋')
  expect(chunks.at(-2)?.choices[0]).toMatchObject({ finish_reason: 'stop', content_filter_results: {} })
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 10 } })
  expect(fake.server.requests[0]).toMatchObject({
    path: '/openai/deployments/my-gpt-41/chat/completions',
    query: { 'api-version': '2025-04-01-preview' },
    headers: { 'api-key': '[recorded]' },
  })
})

it('answers whole, with the results of the filter', async () => {
  await using fake = await start([{ toolCalls: [{ name: 'add', input: { a: 1 } }] }])
  const { data, response } = await fake.client.chat.completions.create(chat).withResponse()
  expect(data).toMatchObject({
    choices: [{ finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'add' } }] } }],
    prompt_filter_results: [{ prompt_index: 0 }],
  })
  expect(response.headers.get('apim-request-id')).toMatch(/^req_/)
  expect(response.headers.get('x-ms-region')).toBe('Sweden Central')
})

it('supports Responses', async () => {
  await using fake = await start([{ text: 'Hi' }])
  const events = await Array.fromAsync(await fake.client.responses.create({ ...responses, stream: true }))
  expect(events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')).toBe('Hi')
  expect(events.at(-1)?.type).toBe('response.completed')
  expect(fake.server.requests[0]?.path).toBe('/openai/responses')
})

it('serves the client of OpenAI at /openai/v1, without an api-version', async () => {
  await using fake = await start([{ text: 'Hi' }, { text: 'Ho' }])
  expect((await fake.v1.chat.completions.create(chat)).choices[0]?.message.content).toBe('Hi')
  expect((await fake.v1.responses.create(responses)).output_text).toBe('Ho')
  const floats = await fake.v1.embeddings.create({ model: 'my-ada', input: 'cat', encoding_format: 'float' })
  expect(floats.data[0]?.embedding).toHaveLength(8)
})

it('embeds texts of a deployment', async () => {
  await using fake = await start([])
  const { data, model } = await fake.client.embeddings.create({ model: 'my-ada', input: ['cat', 'dog'], dimensions: 4 })
  expect(data.map((item) => item.embedding.length)).toEqual([4, 4])
  expect(model).toBe('my-ada')
  expect(fake.server.requests[0]?.path).toBe('/openai/deployments/my-ada/embeddings')
})

describe('rejects', () => {
  it('an old api-version for Responses', async () => {
    await using fake = await start([], '2024-10-21')
    await expect(fake.client.responses.create(responses)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('enabled only for api-version 2025-03-01-preview and later'),
    })
  })

  it.each([
    ['/openai/deployments/my-gpt-41/chat/completions'],
    ['/openai/deployments/my-ada/embeddings'],
    ['/openai/responses'],
    ['/openai/v1/deployments/my-gpt-41/chat/completions?api-version=2024-10-21'],
    ['/chat/completions?api-version=2024-10-21'],
  ])('the address %s', async (path) => {
    await using fake = await start([])
    const headers = { 'api-key': 'test' }
    const answer = await fetch(fake.server.url + path, { method: 'POST', headers, body: JSON.stringify(chat) })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({ error: { code: '404', message: 'Resource not found' } })
  })

  it('a request without a key', async () => {
    await using fake = await start([])
    const answer = await fetch(`${fake.server.url}/openai/v1/chat/completions`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({
      error: { code: '401', message: expect.stringContaining('Access denied') },
    })
  })

  it('to embed a body that is not JSON', async () => {
    await using fake = await start([])
    const headers = { 'api-key': 'test' }
    const answer = await fetch(`${fake.server.url}/openai/v1/embeddings`, { method: 'POST', headers, body: 'a text' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('could not parse') } })
  })

  it('requests that OpenAI rejects, with its messages', async () => {
    await using fake = await start([])
    const messages = [{ role: 'tool' as const, content: '3', tool_call_id: 'call_1' }]
    await expect(fake.client.chat.completions.create({ ...chat, messages })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'messages.[0].role',
    })
  })
})

it('accepts a body without a model where the URL names the deployment', async () => {
  await using fake = await start(['fine'])
  const address = `${fake.server.url}/openai/deployments/my-gpt-41/chat/completions?api-version=2024-10-21`
  const body = JSON.stringify({ messages: [user] })
  const answer = await fetch(address, { method: 'POST', headers: { authorization: 'Bearer test' }, body })
  expect(answer.status).toBe(200)
})

it.each<[{ status: number; code?: string }, object]>([
  [{ status: 401 }, { code: '401', message: expect.stringContaining('Access denied') }],
  [{ status: 404 }, { code: 'DeploymentNotFound' }],
  [{ status: 429 }, { code: 'RateLimitReached' }],
  [{ status: 500 }, { type: 'server_error', code: null }],
  [
    { status: 400, code: 'context_length_exceeded' },
    { code: 'context_length_exceeded', param: null },
  ],
  [
    { status: 400, code: 'content_filter' },
    {
      code: 'content_filter',
      param: 'prompt',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { violence: { filtered: true } } },
    },
  ],
])('answers the status %j', async (turn, error) => {
  await using fake = await start([turn])
  await expect(fake.client.chat.completions.create(chat)).rejects.toMatchObject({ status: turn.status, error })
})

it('ends a stream with an error of OpenAI', async () => {
  await using fake = await start([{ text: 'abc', fault: 'error-frame' }])
  const stream = Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  await expect(stream).rejects.toMatchObject({ code: 'server_error' })
})

it('ends a stream early, after a chunk of the filter', async () => {
  await using fake = await start([{ text: 'abc', fault: 'early-eof' }])
  const chunks = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  expect(chunks.at(-1)?.choices[0]).not.toHaveProperty('delta')
  expect(JSON.stringify(fake.server.requests)).not.toContain('canary-key')
})
