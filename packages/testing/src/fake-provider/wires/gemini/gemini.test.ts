import { ApiError, type GenerateContentResponse, GoogleGenAI, type Part } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { fakeProvider } from '../../fake-provider.ts'
import type { FakeScript, FakeStatus, StreamFault } from '../script.ts'

const text = 'Grüße, 世界 👋'
const model = 'gemini-3-pro-preview'
const showThoughts = { thinkingConfig: { includeThoughts: true } }

async function start(script: FakeScript) {
  const server = await fakeProvider('gemini', script)
  const ai = new GoogleGenAI({ apiKey: 'canary-key', vertexai: false, httpOptions: { baseUrl: server.url } })
  return { ai, server, [Symbol.asyncDispose]: () => server.close() }
}

async function stream(ai: GoogleGenAI, change: object = {}): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = []
  const asked = { model, contents: 'Hello', ...change }
  for await (const chunk of await ai.models.generateContentStream(asked)) chunks.push(chunk)
  return chunks
}

function partsOf(chunks: readonly GenerateContentResponse[]): Part[] {
  return chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])
}

describe('answers', () => {
  it('streams thoughts, text and whole calls, and signs the first of them', async () => {
    const toolCalls = [{ name: 'add', input: { a: 1 } }, { name: 'now' }]
    const usage = { inputTokens: 20, cachedInputTokens: 5, outputTokens: 9, reasoningTokens: 4 }
    await using fake = await start([{ reasoning: 'let me', text: 'So:', toolCalls, usage, deltas: 2 }])
    const chunks = await stream(fake.ai, { config: showThoughts })
    expect(partsOf(chunks)).toEqual([
      { text: 'let', thought: true },
      { text: ' me', thought: true },
      { text: 'So' },
      { text: ':' },
      { functionCall: { name: 'add', args: { a: 1 } }, thoughtSignature: expect.stringMatching(/^[\w+/]{40,}=*$/) },
      { functionCall: { name: 'now', args: {} } },
      { text: '' },
    ])
    const reasons = chunks.map((chunk) => chunk.candidates?.[0]?.finishReason)
    expect(reasons).toEqual([...reasons.slice(1).fill(undefined), 'STOP'])
    expect(chunks[0]?.usageMetadata).toMatchObject({ promptTokenCount: 20, totalTokenCount: 21 })
    expect(chunks.at(-1)?.usageMetadata).toEqual({
      promptTokenCount: 20,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 20 }],
      cachedContentTokenCount: 5,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 4,
      totalTokenCount: 29,
    })
    expect(new Set(chunks.map((chunk) => chunk.responseId)).size).toBe(1)
  })

  it('signs the text of a new model, at its end', async () => {
    await using fake = await start([{ text, deltas: 2 }, { text }, { text }])
    const signature = expect.stringMatching(/^[\w+/]{40,}=*$/)
    expect(partsOf(await stream(fake.ai)).at(-1)).toEqual({ text: '', thoughtSignature: signature })
    const whole = await fake.ai.models.generateContent({ model, contents: 'Hello' })
    expect(partsOf([whole])).toEqual([{ text, thoughtSignature: signature }])
    const older = await fake.ai.models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hello' })
    expect(partsOf([older])).toEqual([{ text }])
  })

  it('returns thoughts only on request', async () => {
    await using fake = await start([{ reasoning: 'let me', text, usage: { reasoningTokens: 4 } }])
    const chunks = await stream(fake.ai)
    expect(partsOf(chunks).some((part) => part.thought)).toBe(false)
    expect(chunks.at(-1)?.usageMetadata?.thoughtsTokenCount).toBe(4)
  })

  it('gives calls an id when the script does', async () => {
    await using fake = await start([{ toolCalls: [{ name: 'add', callId: 'call_7' }] }])
    expect(partsOf(await stream(fake.ai))[0]?.functionCall).toEqual({ id: 'call_7', name: 'add', args: {} })
  })

  it.each([
    [{ text: 'done' }, 'STOP'],
    [{ text: 'too lo', finishReason: 'length' } as const, 'MAX_TOKENS'],
    [{ text: 'hm', finishReason: 'content-filter' } as const, 'SAFETY'],
    [{ text: 'hm', refusal: 'I cannot.' }, 'PROHIBITED_CONTENT'],
    [{ toolCalls: [{ name: 'add', inputText: '{"a' }] }, 'MALFORMED_FUNCTION_CALL'],
    [{ toolCalls: [{ name: 'add', input: [1] }] }, 'MALFORMED_FUNCTION_CALL'],
  ])('ends %j', async (turn, finishReason) => {
    await using fake = await start([turn, turn])
    const streamed = await stream(fake.ai)
    const whole = await fake.ai.models.generateContent({ model, contents: 'Hello' })
    for (const last of [streamed.at(-1), whole]) expect(last?.candidates?.[0]?.finishReason).toBe(finishReason)
    const said = partsOf(streamed).map((part) => part.text ?? '')
    expect(said.join('')).toBe('text' in turn ? turn.text : '')
  })

  it('blocks a prompt without a candidate', async () => {
    await using fake = await start([{ refusal: 'I cannot.' }, { refusal: 'I cannot.' }])
    const whole = await fake.ai.models.generateContent({ model, contents: 'Hello' })
    for (const answer of [whole, ...(await stream(fake.ai))]) {
      expect(answer.promptFeedback).toEqual({ blockReason: 'PROHIBITED_CONTENT' })
      expect(answer.candidates).toBeUndefined()
    }
  })

  it('reports no usage when the script says so', async () => {
    await using fake = await start([{ text: 'a', usage: null }])
    const chunks = await stream(fake.ai)
    expect(chunks.every((chunk) => chunk.usageMetadata === undefined)).toBe(true)
  })

  it('ends its lines like Google', async () => {
    await using fake = await start(['a'])
    const url = `${fake.server.url}/v1beta/models/${model}:streamGenerateContent?alt=sse&key=canary-key`
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }] }] })
    const answer = await (await fetch(url, { method: 'POST', body })).text()
    expect(answer.match(/^data: \{.*\}\r\n\r\n/gm)).toHaveLength(2)
    expect(fake.server.requests[0]?.query).toEqual({ alt: 'sse', key: '[recorded]' })
  })

  it('returns a list of its chunks when the request asks for no events', async () => {
    await using fake = await start(['a'])
    const url = `${fake.server.url}/v1beta/models/${model}:streamGenerateContent?key=canary-key`
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }] }] })
    expect(await (await fetch(url, { method: 'POST', body })).json()).toMatchObject([{ candidates: [{}] }])
  })
})

describe('errors', () => {
  it.each<[FakeStatus, string, string]>([
    [{ status: 400, code: 'API_KEY_INVALID' }, 'INVALID_ARGUMENT', 'API key not valid'],
    [{ status: 400, code: 'context_length_exceeded' }, 'INVALID_ARGUMENT', 'input token count'],
    [{ status: 401 }, 'UNAUTHENTICATED', 'invalid authentication'],
    [{ status: 403 }, 'PERMISSION_DENIED', 'permission'],
    [{ status: 404 }, 'NOT_FOUND', 'models/missing is not found'],
    [{ status: 429 }, 'RESOURCE_EXHAUSTED', 'exceeded your current quota'],
    [{ status: 500 }, 'INTERNAL', 'internal error'],
    [{ status: 503 }, 'UNAVAILABLE', 'overloaded'],
    [{ status: 529 }, 'UNAVAILABLE', 'overloaded'],
    [{ status: 418, message: 'teapot' }, 'INVALID_ARGUMENT', 'teapot'],
  ])('answers the status %j', async (turn, status, message) => {
    await using fake = await start([turn])
    const error = await stream(fake.ai).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).status).toBe(turn.status)
    const body = JSON.parse((error as ApiError).message) as object
    expect(body).toMatchObject({ error: { code: turn.status, status, message: expect.stringContaining(message) } })
  })

  it.each<[number | string, string]>([
    [34, '34s'],
    ['7', '7s'],
    ['Mon, 01 Jan 2024 00:00:00 GMT', '0s'],
  ])('reports the retry delay in the body, not in a header: %s', async (retryAfter, retryDelay) => {
    await using fake = await start([{ status: 429, retryAfter }])
    const answer = await rawAnswer(fake.server.url)
    expect(answer.headers.get('retry-after')).toBe(null)
    const { error } = (await answer.json()) as { error: { details: object[] } }
    expect(error.details).toContainEqual({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay })
  })

  it.each<[string, string]>([
    ['API_KEY_INVALID', 'API_KEY_INVALID'],
    ['insufficient_quota', 'PerDay'],
  ])('reports the details of %s', async (code, detail) => {
    await using fake = await start([{ status: 400, code }])
    await expect(stream(fake.ai)).rejects.toThrow(detail)
  })

  it.each<[StreamFault, boolean]>([
    ['error-frame', true],
    ['failed', true],
    ['cut', true],
    ['early-eof', false],
    ['eof-in-frame', true],
    ['garbage-frame', true],
  ])('breaks a stream by %s', async (fault, fails) => {
    await using fake = await start([{ text, fault, writes: 'split-characters' }])
    const { said, error } = await listen(fake.ai)
    expect(said).toBe(text)
    expect(error !== undefined).toBe(fails)
  })

  it('streams byte by byte', async () => {
    await using fake = await start([{ text, writes: 'byte' }])
    expect(await listen(fake.ai)).toEqual({ said: text })
  })
})

it('requires a key', async () => {
  await using fake = await start(['a'])
  const answer = await rawAnswer(fake.server.url, {})
  expect(answer.status).toBe(403)
  expect(await answer.json()).toMatchObject({ error: { status: 'PERMISSION_DENIED' } })
})

it('records requests without their key', async () => {
  await using fake = await start(['one'])
  await stream(fake.ai)
  expect(fake.server.requests[0]).toMatchObject({
    path: expect.stringMatching(/^\/v1(beta)?\/models\/gemini-3-pro-preview:streamGenerateContent$/),
    query: { alt: 'sse' },
    headers: { 'x-goog-api-key': '[recorded]' },
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  })
  expect(JSON.stringify(fake.server.requests)).not.toContain('canary-key')
})

it('embeds each content as one vector', async () => {
  await using fake = await start([])
  const contents = ['cat', 'dog', 'cat'].map((word) => ({ parts: [{ text: word }] }))
  const config = { outputDimensionality: 4 }
  const { embeddings = [] } = await fake.ai.models.embedContent({ model: 'gemini-embedding-001', contents, config })
  const [cat, dog, again] = embeddings.map((embedding) => embedding.values)
  expect(cat).toHaveLength(4)
  expect(again).toEqual(cat)
  expect(dog).not.toEqual(cat)
  const two = [{ parts: [{ text: 'cat' }, { text: 'dog' }] }]
  const joined = await fake.ai.models.embedContent({ model: 'gemini-embedding-001', contents: two })
  expect(joined.embeddings).toHaveLength(1)
})

it('lists a model, and answers 404 elsewhere', async () => {
  await using fake = await start([])
  expect((await fake.ai.models.list()).page).toHaveLength(1)
  await expect(fake.ai.models.get({ model: 'gemini-missing' })).rejects.toMatchObject({ status: 404 })
})

it('reports the end of its script', async () => {
  await using fake = await start([])
  await expect(stream(fake.ai)).rejects.toThrow('The script of this fake provider is over')
})

function rawAnswer(url: string, headers: Record<string, string> = { 'x-goog-api-key': 'key' }): Promise<Response> {
  const body = JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }] }] })
  return fetch(`${url}/v1beta/models/${model}:generateContent`, { method: 'POST', headers, body })
}

async function listen(ai: GoogleGenAI): Promise<{ said: string; error?: unknown }> {
  let said = ''
  try {
    for await (const chunk of await ai.models.generateContentStream({ model, contents: 'Hello' })) {
      said += partsOf([chunk])
        .map((part) => part.text ?? '')
        .join('')
    }
    return { said }
  } catch (error) {
    return { said, error }
  }
}
