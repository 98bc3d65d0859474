import { Mistral } from '@mistralai/mistralai'
import { expect, it } from 'vitest'
import { fakeProvider } from '../../fake-provider.ts'
import type { FakeScript, StreamFault } from '../script.ts'

const chat = { model: 'mistral-small-latest', messages: [{ role: 'user' as const, content: 'Hello' }] }

type Started = AsyncDisposable & { client: Mistral; server: Awaited<ReturnType<typeof fakeProvider>> }

async function start(script: FakeScript): Promise<Started> {
  const server = await fakeProvider('mistral', script)
  const client = new Mistral({ apiKey: 'canary-key', serverURL: server.url, retryConfig: { strategy: 'none' } })
  return { client, server, [Symbol.asyncDispose]: () => server.close() }
}

async function collect<T>(stream: AsyncIterable<{ data: T }>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item.data)
  return items
}

it('streams text, with usage in the last chunk', async () => {
  await using fake = await start([{ text: 'Hello, Wörld 👋', usage: { inputTokens: 7, outputTokens: 3 } }])
  const chunks = await collect(await fake.client.chat.stream(chat))
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello, Wörld 👋')
  expect(chunks.at(-1)).toMatchObject({
    choices: [{ finishReason: 'stop' }],
    usage: { promptTokens: 7, completionTokens: 3, totalTokens: 10 },
  })
})

it('streams calls whole, with ids of 9 characters, in the last chunk', async () => {
  await using fake = await start([
    { toolCalls: [{ name: 'add', input: { a: 1 } }, { name: 'now' }, { name: 'broken', inputText: '{"a' }] },
  ])
  const last = (await collect(await fake.client.chat.stream(chat))).at(-1)?.choices[0]
  expect(last?.finishReason).toBe('tool_calls')
  const calls = last?.delta.toolCalls ?? []
  expect(calls.map((call) => [call.index, call.function.name, call.function.arguments])).toEqual([
    [0, 'add', '{"a":1}'],
    [1, 'now', '{}'],
    [2, 'broken', '{"a'],
  ])
  expect(new Set(calls.map((call) => call.id)).size).toBe(3)
  for (const call of calls) expect(call.id).toMatch(/^[a-zA-Z0-9]{9}$/)
})

it('streams thinking in lists of chunks, and the text after it', async () => {
  await using fake = await start([{ reasoning: 'let me think', text: 'It is 4.' }])
  const chunks = await collect(await fake.client.chat.stream({ ...chat, model: 'magistral-medium-latest' }))
  const contents = chunks.map((chunk) => chunk.choices[0]?.delta.content)
  expect(contents.slice(0, 5)).toEqual([
    '',
    [{ type: 'thinking', thinking: [{ type: 'text', text: 'let ' }] }],
    [{ type: 'thinking', thinking: [{ type: 'text', text: 'me t' }] }],
    [{ type: 'thinking', thinking: [{ type: 'text', text: 'hink' }] }],
    [{ type: 'text', text: 'It ' }],
  ])
  expect(contents.slice(5).join('')).toBe('is 4.')
})

it.each([
  [{ text: 'too lo', finishReason: 'length' } as const, 'length', 'too lo'],
  [{ refusal: 'I cannot.' }, 'stop', 'I cannot.'],
  [
    { reasoning: 'hm', text: 'yes' },
    'stop',
    [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], closed: true },
      { type: 'text', text: 'yes' },
    ],
  ],
])('answers whole: %j', async (turn, finishReason, content) => {
  await using fake = await start([turn])
  const completion = await fake.client.chat.complete(chat)
  expect(completion.choices[0]).toMatchObject({ finishReason, message: { content } })
})

it('answers whole with calls', async () => {
  await using fake = await start([{ text: 'I add.', toolCalls: [{ name: 'add', input: { a: 1 } }] }])
  const completion = await fake.client.chat.complete(chat)
  expect(completion.choices[0]?.message).toMatchObject({
    content: 'I add.',
    toolCalls: [{ function: { name: 'add', arguments: '{"a":1}' } }],
  })
})

it('embeds texts', async () => {
  await using fake = await start([])
  const { data, usage } = await fake.client.embeddings.create({
    model: 'mistral-embed',
    inputs: ['cat', 'dog', 'cat'],
    outputDimension: 4,
  })
  const [cat, dog, again] = data.map((item) => item.embedding)
  expect(cat).toHaveLength(4)
  expect(again).toEqual(cat)
  expect(dog).not.toEqual(cat)
  expect(usage.totalTokens).toBe(3)
})

it('records no key, and has an id per exchange', async () => {
  await using fake = await start(['one'])
  await fake.client.chat.complete(chat)
  expect(JSON.stringify(fake.server.requests)).not.toContain('canary-key')
  const answer = await fetch(`${fake.server.url}/v1/models`, { headers: { authorization: 'Bearer test' } })
  expect(answer.headers.get('mistral-correlation-id')).toMatch(/^req_/)
  expect(await answer.json()).toMatchObject({ data: [{ id: 'fake-model' }] })
})

it.each<[object, unknown]>([
  [{ status: 401 }, { detail: 'Unauthorized' }],
  [{ status: 429 }, { object: 'error', type: 'rate_limited', code: '1300', raw_status_code: 429 }],
  [{ status: 503 }, { object: 'error', type: 'service_tier_capacity_exceeded' }],
  [
    { status: 400, code: 'context_length_exceeded' },
    { code: '3051', message: expect.stringContaining('too large for model with 131072 maximum context length') },
  ],
  [
    { status: 418, message: 'teapot', type: 'odd', code: null },
    { message: 'teapot', type: 'odd', code: null },
  ],
])('answers the status %j', async (turn, body) => {
  await using fake = await start([turn as { status: number }])
  const error: unknown = await fake.client.chat.stream(chat).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ statusCode: (turn as { status: number }).status })
  expect(JSON.parse((error as { body: string }).body)).toMatchObject(body as object)
})

it.each<StreamFault>(['error-frame', 'flat-error-frame', 'failed'])('interrupts a stream by %s', async (fault) => {
  await using fake = await start([{ text: 'abc', fault }])
  const text = await streamText(fake)
  expect(text).toMatch(/"content":"c".*\n\ndata: \{"object":"error","message":"Internal server error".*\}\n\n$/)
})

it.each<[StreamFault, RegExp]>([
  ['early-eof', /"content":"c"[^\n]*\n\n$/],
  ['eof-in-frame', /"content":"c"[^\n]*\n\ndata: \{"id":"[^\n]+$/],
  ['garbage-frame', /data: \{"id": not json\n\n.*data: \[DONE\]\n\n$/s],
])('interrupts a stream by %s', async (fault, expected) => {
  await using fake = await start([{ text: 'abc', fault }])
  expect(await streamText(fake)).toMatch(expected)
})

async function streamText(fake: Started): Promise<string> {
  const headers = { authorization: 'Bearer test', 'content-type': 'application/json' }
  const body = JSON.stringify({ ...chat, stream: true })
  const answer = await fetch(`${fake.server.url}/v1/chat/completions`, { method: 'POST', headers, body })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  return answer.text()
}
