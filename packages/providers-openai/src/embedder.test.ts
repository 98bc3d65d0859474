import { describe, expect, it } from 'vitest'
import { type Answer, json, loopback } from './__fixtures__/loopback.ts'
import { openai } from './provider.ts'

const apiKey = 'test-key-5f3a9c'
const { signal } = new AbortController()

/** Each text becomes the vector of its length, returned in the order given by `order`. */
function vectors(order: (index: number, count: number) => number = (index) => index): Answer {
  return (response, request) => {
    const input = request.body.input as string[]
    const data = input.map((_text, position) => {
      const index = order(position, input.length)
      return { index, embedding: [input[index]?.length ?? 0, 0.5] }
    })
    json(200, { object: 'list', data })(response, request)
  }
}

describe('an embedder', () => {
  it('turns texts into vectors, asking for numbers (Q31)', async () => {
    await using server = await loopback(vectors())
    const embedder = openai({ apiKey, baseURL: server.baseURL }).embedder('small', { dimensions: 2 })
    expect(embedder).toMatchObject({ id: 'openai/small', dimensions: 2 })
    expect(await embedder.embed(['a', 'bbb'], signal)).toEqual([Float32Array.of(1, 0.5), Float32Array.of(3, 0.5)])
    expect(server.requests).toMatchObject([
      {
        path: '/v1/embeddings',
        headers: { authorization: `Bearer ${apiKey}` },
        body: { model: 'small', input: ['a', 'bbb'], encoding_format: 'float', dimensions: 2 },
      },
    ])
  })

  it('keeps the order of the texts, for any order of the answer', async () => {
    await using server = await loopback(vectors((index, count) => count - 1 - index))
    const found = await openai({ baseURL: server.baseURL }).embedder('small').embed(['a', 'bb', 'ccc'], signal)
    expect(found.map(([length]) => length)).toEqual([1, 2, 3])
  })

  it('requests at most 2,048 texts at once', async () => {
    await using server = await loopback(vectors())
    const texts = Array.from({ length: 2049 }, (_, index) => 'x'.repeat(index % 7))
    const found = await openai({ baseURL: server.baseURL }).embedder('small').embed(texts, signal)
    expect(server.requests.map(({ body }) => (body.input as string[]).length)).toEqual([2048, 1])
    expect(found[2048]?.[0]).toBe(2048 % 7)
  })

  it('requests no more text at once than the API takes', async () => {
    await using server = await loopback(vectors())
    await openai({ baseURL: server.baseURL })
      .embedder('small')
      .embed(['a'.repeat(200_000), 'b'.repeat(200_000)], signal)
    expect(server.requests).toHaveLength(2)
  })

  it('sends no empty text and no half characters (Q18)', async () => {
    await using server = await loopback(vectors())
    await openai({ baseURL: server.baseURL }).embedder('small').embed(['', 'a\ud83e'], signal)
    expect(server.requests[0]?.body.input).toEqual([' ', 'a\ufffd'])
  })

  it('sends no request when there is nothing to embed', async () => {
    await using server = await loopback(vectors())
    expect(await openai({ baseURL: server.baseURL }).embedder('small').embed([], signal)).toEqual([])
    expect(server.requests).toEqual([])
  })

  it.each([
    ['too few vectors', { data: [{ index: 0, embedding: [1] }] }],
    [
      'one place twice',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
      },
    ],
    [
      'a place that is none',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 7, embedding: [1] },
        ],
      },
    ],
    [
      'text instead of numbers',
      {
        data: [
          { index: 0, embedding: 'AAAA' },
          { index: 1, embedding: 'AAAA' },
        ],
      },
    ],
    ['no data', {}],
  ])('fails with `malformed-stream` on %s', async (_name, body) => {
    await using server = await loopback(json(200, body))
    const embedding = openai({ baseURL: server.baseURL }).embedder('small').embed(['a', 'b'], signal)
    await expect(embedding).rejects.toMatchObject({ code: 'malformed-stream', provider: 'openai', model: 'small' })
  })

  it.each([
    [401, { code: 'invalid_api_key' }, 'auth'],
    [429, {}, 'rate-limit'],
    [400, { message: 'maximum context length is 8192' }, 'context-overflow'],
  ])('classifies errors as a model does: %d', async (status, fields, code) => {
    await using server = await loopback(json(status, { error: { message: `boom ${apiKey}`, ...fields } }))
    const embedding = openai({ apiKey, baseURL: server.baseURL }).embedder('small').embed(['a'], signal)
    await expect(embedding).rejects.toMatchObject({ code, status, message: expect.not.stringContaining(apiKey) })
    expect(server.requests).toHaveLength(1)
  })

  it('fails with `aborted`, before a request and during one', async () => {
    const controller = new AbortController()
    await using server = await loopback(() => controller.abort())
    const embedder = openai({ baseURL: server.baseURL }).embedder('small')
    await expect(embedder.embed(['a'], AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
    expect(server.requests).toEqual([])
    await expect(embedder.embed(['a'], controller.signal)).rejects.toMatchObject({ code: 'aborted' })
    await server.closed
  })

  it('fails with `timeout` when the server does not answer', async () => {
    await using server = await loopback(() => {})
    // Long enough for the request to arrive while a busy machine loads the SDK.
    const embedder = openai({ baseURL: server.baseURL }).embedder('small', { timeoutMs: 1_000 })
    await expect(embedder.embed(['a'], signal)).rejects.toMatchObject({ code: 'timeout', phase: 'first-byte' })
    await server.closed
  })
})
