import { type ChatResponse, Ollama } from 'ollama'
import { expect, it } from 'vitest'
import { fakeProvider } from '../../fake-provider.ts'
import type { FakeScript, StreamFault } from '../script.ts'

const chat = { model: 'qwen3:8b', messages: [{ role: 'user', content: 'Hello' }] }

type Started = AsyncDisposable & { client: Ollama; server: Awaited<ReturnType<typeof fakeProvider>> }

async function start(script: FakeScript): Promise<Started> {
  const server = await fakeProvider('ollama', script)
  return { client: new Ollama({ host: server.url }), server, [Symbol.asyncDispose]: () => server.close() }
}

async function stream(fake: Started): Promise<ChatResponse[]> {
  const lines: ChatResponse[] = []
  for await (const line of await fake.client.chat({ ...chat, stream: true })) lines.push(line)
  return lines
}

it('streams thinking and text, with counts in the last line', async () => {
  await using fake = await start([
    { reasoning: 'let me think', text: 'Hello, Wörld 👋', usage: { inputTokens: 7, outputTokens: 3 } },
  ])
  const lines = await stream(fake)
  expect(lines.map((line) => line.message.thinking ?? '').join('')).toBe('let me think')
  expect(lines.map((line) => line.message.content).join('')).toBe('Hello, Wörld 👋')
  expect(lines.at(-1)).toMatchObject({
    model: 'qwen3:8b',
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 7,
    eval_count: 3,
    total_duration: expect.any(Number),
  })
  expect(lines.slice(0, -1).every((line) => line.done === false)).toBe(true)
})

it('streams calls with their arguments as values, and ends with stop', async () => {
  await using fake = await start([
    {
      toolCalls: [
        { name: 'add', input: { a: 1 } },
        { name: 'add', input: { a: 1 } },
        { name: 'odd', inputText: '{"a' },
      ],
    },
  ])
  const lines = await stream(fake)
  const calls = lines.flatMap((line) => line.message.tool_calls ?? [])
  expect(calls).toEqual([
    { id: expect.stringMatching(/^call_/), function: { index: 0, name: 'add', arguments: { a: 1 } } },
    { id: expect.stringMatching(/^call_/), function: { index: 1, name: 'add', arguments: { a: 1 } } },
    { id: expect.stringMatching(/^call_/), function: { index: 2, name: 'odd', arguments: '{"a' } },
  ])
  expect(new Set(calls.map((call) => 'id' in call && call.id)).size).toBe(3)
  expect(lines.at(-1)?.done_reason).toBe('stop')
})

it('sends calls without an id when the script says so, like old servers', async () => {
  await using fake = await start([{ toolCalls: [{ name: 'add', callId: '' }] }])
  const { message } = await fake.client.chat({ ...chat })
  expect(message.tool_calls).toEqual([{ function: { index: 0, name: 'add', arguments: {} } }])
})

it.each([
  [{ text: 'too lo', finishReason: 'length' } as const, 'length', { content: 'too lo' }],
  [{ refusal: 'I cannot.' }, 'stop', { content: 'I cannot.' }],
  [{ reasoning: 'hm', text: 'yes' }, 'stop', { content: 'yes', thinking: 'hm' }],
])('answers whole: %j', async (turn, doneReason, message) => {
  await using fake = await start([turn])
  expect(await fake.client.chat({ ...chat })).toMatchObject({ done: true, done_reason: doneReason, message })
})

it('reports no counts when the script says so', async () => {
  await using fake = await start([{ text: 'a', usage: null }])
  expect(await fake.client.chat({ ...chat })).not.toHaveProperty('eval_count')
})

it('embeds texts', async () => {
  await using fake = await start([])
  const { embeddings, prompt_eval_count } = await fake.client.embed({
    model: 'nomic-embed-text',
    input: ['cat', 'dog', 'cat'],
    dimensions: 4,
  })
  expect(embeddings[0]).toHaveLength(4)
  expect(embeddings[2]).toEqual(embeddings[0])
  expect(embeddings[1]).not.toEqual(embeddings[0])
  expect(prompt_eval_count).toBe(3)
})

it('lists a model, returns its version, and answers 404 elsewhere', async () => {
  await using fake = await start([])
  expect((await fake.client.list()).models).toMatchObject([{ name: 'fake-model:latest' }])
  expect((await fake.client.version()).version).toMatch(/^\d/)
  await expect(fake.client.ps()).rejects.toMatchObject({ status_code: 404 })
})

it.each<[{ status: number; message?: string; code?: string }, string]>([
  [{ status: 404 }, 'model "missing" not found, try pulling it first'],
  [{ status: 500 }, 'an error was encountered while running the model: unexpected EOF'],
  [{ status: 503 }, 'server busy, please try again.  maximum pending requests exceeded'],
  [{ status: 400, code: 'context_length_exceeded' }, 'the input length exceeds the context length'],
  [{ status: 400, message: '"a" does not support thinking' }, '"a" does not support thinking'],
])('answers the status %j', async (turn, error) => {
  await using fake = await start([turn])
  await expect(fake.client.chat({ ...chat, stream: true })).rejects.toMatchObject({ status_code: turn.status, error })
})

it.each<StreamFault>(['error-frame', 'flat-error-frame', 'failed'])('interrupts a stream by %s', async (fault) => {
  await using fake = await start([{ text: 'abc', fault }])
  await expect(stream(fake)).rejects.toThrow('an error was encountered while running the model')
})

it('ends a stream early', async () => {
  await using fake = await start([{ text: 'abc', fault: 'early-eof' }])
  await expect(stream(fake)).rejects.toThrow('Did not receive done')
})

it('streams lines of JSON, and one that is not JSON', async () => {
  await using fake = await start([{ text: 'abc', fault: 'garbage-frame' }])
  const answer = await fetch(`${fake.server.url}/api/chat`, { method: 'POST', body: JSON.stringify(chat) })
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
  const lines = (await answer.text()).split('\n')
  expect(lines).toHaveLength(6)
  expect(lines[3]).toBe('{"id": not json')
  expect(JSON.parse(lines[4] ?? '')).toMatchObject({ done: true })
})
