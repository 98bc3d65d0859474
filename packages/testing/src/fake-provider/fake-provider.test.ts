import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { fakeProvider } from './fake-provider.ts'
import type { FakeScript, FakeWire } from './wires/script.ts'

const user = { role: 'user', content: 'Hello' } as const
const chat = { model: 'gpt-4.1', messages: [user] }
const responses = { model: 'gpt-5.2', input: [user], store: false, include: ['reasoning.encrypted_content' as const] }

type Started = AsyncDisposable & { client: OpenAI; server: Awaited<ReturnType<typeof fakeProvider>> }

async function start(script: FakeScript): Promise<Started> {
  const server = await fakeProvider('openai-chat', script)
  const client = new OpenAI({ apiKey: 'sk-canary-key', baseURL: server.url, maxRetries: 0 })
  return { client, server, [Symbol.asyncDispose]: () => server.close() }
}

it('streams text over Chat Completions, with usage only on request', async () => {
  await using fake = await start([{ text: 'Hello, Wörld 👋', usage: { inputTokens: 7, outputTokens: 3 } }, 'bare'])
  const chunks = await Array.fromAsync(
    await fake.client.chat.completions.create({ ...chat, stream: true, stream_options: { include_usage: true } }),
  )
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello, Wörld 👋')
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  })
  const bare = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  expect(bare.some((chunk) => 'usage' in chunk)).toBe(false)
  expect(bare[0]?.id).not.toBe(chunks[0]?.id)
})

it('streams parallel tool calls over Chat Completions, arguments in pieces', async () => {
  await using fake = await start([
    { toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }, { name: 'now' }, { name: 'broken', inputText: '{"a' }] },
  ])
  const chunks = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  const calls: { id?: string; name?: string; text: string }[] = []
  for (const delta of chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])) {
    calls[delta.index] ??= { text: '' }
    const call = calls[delta.index] as (typeof calls)[number]
    if (delta.id) call.id = delta.id
    if (delta.function?.name) call.name = delta.function.name
    call.text += delta.function?.arguments ?? ''
  }
  expect(calls.map(({ name, text }) => [name, text])).toEqual([
    ['add', '{"a":1,"b":2}'],
    ['now', '{}'],
    ['broken', '{"a'],
  ])
  expect(new Set(calls.map((call) => call.id)).size).toBe(3)
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls')
})

it.each([
  [{ text: 'too lo', finishReason: 'length' } as const, 'length'],
  [{ text: 'hm', finishReason: 'content-filter' } as const, 'content_filter'],
  [{ refusal: 'I cannot.' }, 'stop'],
])('answers Chat Completions whole: %j', async (turn, finishReason) => {
  await using fake = await start([turn])
  const { data: completion, request_id } = await fake.client.chat.completions.create(chat).withResponse()
  expect(completion.choices[0]).toMatchObject({
    finish_reason: finishReason,
    message: { content: 'text' in turn ? turn.text : null, refusal: 'refusal' in turn ? turn.refusal : null },
  })
  expect(completion.usage?.total_tokens).toBeGreaterThan(0)
  expect(request_id).toMatch(/^req_/)
})

it('streams refusals and compatible reasoning over Chat Completions', async () => {
  await using fake = await start([{ reasoning: 'let me think', refusal: 'I cannot.' }])
  const chunks = await Array.fromAsync(await fake.client.chat.completions.create({ ...chat, stream: true }))
  const deltas = chunks.map((chunk) => chunk.choices[0]?.delta as { refusal?: string; reasoning_content?: string })
  expect(deltas.map((delta) => delta?.refusal ?? '').join('')).toBe('I cannot.')
  expect(deltas.map((delta) => delta?.reasoning_content ?? '').join('')).toBe('let me think')
})

it('streams text, reasoning and tools over Responses', async () => {
  await using fake = await start([
    {
      reasoning: 'let me think',
      commentary: 'I look it up.',
      text: 'So:',
      toolCalls: [{ name: 'add', input: { a: 1 } }, { name: 'now' }],
      usage: { inputTokens: 9, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 2 },
    },
  ])
  const events = await Array.fromAsync(await fake.client.responses.create({ ...responses, stream: true }))
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
  expect(text).toBe('I look it up.So:')
  const last = events.at(-1)
  if (last?.type !== 'response.completed') throw new Error(`ended with ${last?.type}`)
  expect(last.response.output).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'let me think' }], encrypted_content: expect.any(String) },
    { type: 'message', phase: 'commentary' },
    { type: 'message', content: [{ type: 'output_text', text: 'So:' }] },
    { type: 'function_call', name: 'add', arguments: '{"a":1}', call_id: expect.stringMatching(/^call_/) },
    { type: 'function_call', name: 'now', arguments: '{}' },
  ])
  expect(last.response.usage).toEqual({
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 14,
  })
  const done = events.filter((event) => event.type === 'response.output_item.done').map((event) => event.item)
  expect(done).toEqual(last.response.output)
})

it('keeps reasoning unencrypted over Responses unless the request includes it', async () => {
  await using fake = await start([{ reasoning: 'hm', text: 'yes' }])
  const response = await fake.client.responses.create({ model: 'gpt-5.2', input: 'Hello' })
  expect(response.output[0]).not.toHaveProperty('encrypted_content')
  expect(response.output_text).toBe('yes')
})

it.each([
  [{ text: 'too lo', finishReason: 'length' } as const, 'incomplete', { reason: 'max_output_tokens' }],
  [{ text: 'hm', finishReason: 'content-filter' } as const, 'incomplete', { reason: 'content_filter' }],
  [{ refusal: 'I cannot.' }, 'completed', null],
])('ends a Responses stream: %j', async (turn, status, details) => {
  await using fake = await start([turn])
  const events = await Array.fromAsync(await fake.client.responses.create({ ...responses, stream: true }))
  expect(events.at(-1)).toMatchObject({
    type: `response.${status}`,
    response: { status, incomplete_details: details },
  })
  const refusal = events.map((event) => (event.type === 'response.refusal.delta' ? event.delta : '')).join('')
  expect(refusal).toBe('refusal' in turn ? turn.refusal : '')
})

it('reports no usage when the script says so', async () => {
  await using fake = await start([{ text: 'a', usage: null }])
  expect((await fake.client.chat.completions.create(chat)).usage).toBeUndefined()
})

it('embeds texts, as floats or as base64', async () => {
  await using fake = await start([])
  const input = { model: 'text-embedding-3-small', input: ['cat', 'dog', 'cat'], dimensions: 4 }
  const floats = await fake.client.embeddings.create({ ...input, encoding_format: 'float' })
  const decoded = await fake.client.embeddings.create(input)
  const [cat, dog, again] = floats.data.map((item) => item.embedding)
  expect(cat).toHaveLength(4)
  expect(again).toEqual(cat)
  expect(dog).not.toEqual(cat)
  expect(decoded.data.map((item) => item.embedding)).toEqual([cat, dog, again])
})

it('lists a model, and answers 404 elsewhere', async () => {
  await using fake = await start([])
  expect((await fake.client.models.list()).data).toHaveLength(1)
  await expect(fake.client.get('/nowhere')).rejects.toMatchObject({ status: 404 })
})

it('records requests without their key', async () => {
  await using fake = await start(['one'])
  await fake.client.chat.completions.create(chat)
  expect(fake.server.requests).toHaveLength(1)
  expect(fake.server.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: '[recorded]', 'content-type': 'application/json' },
    body: chat,
    aborted: false,
  })
  expect(JSON.stringify(fake.server.requests)).not.toContain('sk-canary-key')
})

it('answers from a function of the request', async () => {
  await using fake = await start((request, index) => `${index}: ${request.body.messages[0].content}`)
  await fake.client.chat.completions.create(chat)
  expect((await fake.client.chat.completions.create(chat)).choices[0]?.message.content).toBe('1: Hello')
})

it.each<[unknown, string]>([
  [[{ txt: 'Hello' }], 'Unknown option `script[0].txt`. Did you mean `script[0].text`?'],
  [['Hello', { text: 'Hello', fault: 'cuts' }], '`script[1].fault` is "hang", "cut"'],
  [[{ status: 429, retryafter: 1 }], 'Did you mean `script[0].retryAfter`?'],
  [[{ text: 'Hello', writes: 'bytes' }], '`script[0].writes` is "frame", "byte"'],
  [[5], '`script[0]` is a text, or an object'],
  ['Hello', 'The script is a list of turns'],
])('refuses a misspelt script, which would test nothing: %j', async (script, message) => {
  // As a caller without types may call it.
  const started = fakeProvider('openai-chat', script as FakeScript)
  await expect(started).rejects.toMatchObject({ code: 'invalid-argument', message: expect.stringContaining(message) })
})

it('answers 500 with the misspelt key of a turn that a function returns', async () => {
  await using fake = await start(() => ({ txt: 'Hello' }) as object)
  const failure = fake.client.chat.completions.create(chat)
  await expect(failure).rejects.toMatchObject({ status: 500, message: expect.stringContaining('`script[0].txt`') })
})

it('reports the end of its script', async () => {
  await using fake = await start([])
  await expect(fake.client.chat.completions.create(chat)).rejects.toMatchObject({ status: 400, code: 'script_over' })
})

it('answers 500 when its script fails, and continues', async () => {
  await using fake = await start((_, index) => {
    if (index === 0) throw new Error('no turn')
    return 'fine'
  })
  const failure = fake.client.chat.completions.create(chat)
  await expect(failure).rejects.toMatchObject({ status: 500, message: expect.stringContaining('no turn') })
  expect((await fake.client.chat.completions.create(chat)).choices[0]?.message.content).toBe('fine')
})

it('lists the wires that it supports', async () => {
  // As a caller without types may call it.
  const wire = 'toString' as FakeWire
  const message = 'Use one of openai-chat, openai-responses, azure, anthropic, mistral, groq, gemini, ollama.'
  await expect(fakeProvider(wire)).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('"toString"'),
  })
  await expect(fakeProvider(wire)).rejects.toThrow(message)
})

it('plays frames unchanged', async () => {
  await using fake = await start([{ frames: [{ choices: [{ index: 0, delta: { content: 'raw' } }] }, ': ping\n\n'] }])
  const stream = await fake.client.chat.completions.create({ ...chat, stream: true }).asResponse()
  expect(await stream.text()).toBe('data: {"choices":[{"index":0,"delta":{"content":"raw"}}]}\n\n: ping\n\n')
})

it('stops listening when it is closed, also during a hanging request', async () => {
  const fake = await start([{ fault: 'hang-before-headers' }])
  const answer = fake.client.chat.completions.create(chat).catch((error: unknown) => error)
  while (fake.server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await fake.server.close()
  expect(await answer).toBeInstanceOf(OpenAI.APIConnectionError)
  expect(fake.server.requests[0]?.aborted).toBe(false)
  await expect(fetch(fake.server.url)).rejects.toThrow('fetch failed')
})

it('reads a generator of frames as they are sent, until the client leaves', async () => {
  let frames = 0
  let isStopped = false
  function* endless(): Generator<string> {
    try {
      while (true) {
        frames++
        yield `: ${'x'.repeat(10_000)}\n\n`
      }
    } finally {
      isStopped = true
    }
  }
  await using server = await fakeProvider('openai-chat', [{ frames: endless() }])
  const controller = new AbortController()
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4.1', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
    signal: controller.signal,
  })
  await response.body?.getReader().read()
  controller.abort()
  await server.requests[0]?.closed
  await expect.poll(() => isStopped).toBe(true)
  expect(frames).toBeLessThan(10_000)
})
