import { type Answer, json, loopback } from '@agentkit/test-loopback'
import { describe, expect, it } from 'vitest'
import { googleError } from './__fixtures__/loopback.ts'
import { gemini } from './provider.ts'

const apiKey = 'test-key-5f3a9c'
const { signal } = new AbortController()

type EmbedRequest = { model: string; content: { parts: { text: string }[] }; taskType?: string }

/** Each text becomes the vector of its length. */
const vectors: Answer = (response, { body }) => {
  const requests = body.requests as EmbedRequest[]
  const embeddings = requests.map(({ content }) => ({ values: [content.parts[0]?.text.length ?? 0, 0.5] }))
  json(200, { embeddings })(response, { path: '', headers: {}, body })
}

const texts = (requests: EmbedRequest[]) => requests.map(({ content }) => content.parts.map(({ text }) => text))

describe('an embedder', () => {
  it('requests one vector per text (Q66)', async () => {
    await using server = await loopback(vectors)
    const embedder = gemini({ apiKey, baseURL: server.baseURL }).embedder('gemini-embedding-2', { dimensions: 2 })
    expect(await embedder.embed(['a', 'bcd'], signal)).toEqual([Float32Array.of(1, 0.5), Float32Array.of(3, 0.5)])
    expect(embedder).toMatchObject({ id: 'gemini/gemini-embedding-2', dimensions: 2 })
    expect(server.requests).toMatchObject([
      {
        path: '/v1beta/models/gemini-embedding-2:batchEmbedContents',
        headers: { 'x-goog-api-key': apiKey },
        body: {
          requests: [
            { model: 'models/gemini-embedding-2', content: { parts: [{ text: 'a' }] }, outputDimensionality: 2 },
            { model: 'models/gemini-embedding-2', content: { parts: [{ text: 'bcd' }] }, outputDimensionality: 2 },
          ],
        },
      },
    ])
  })

  it('sends the task as the model takes it: as a type, or in the text', async () => {
    await using server = await loopback(vectors)
    const provider = gemini({ apiKey, baseURL: server.baseURL })
    await provider.embedder('gemini-embedding-001').embed(['a'], signal, 'query')
    await provider.embedder('models/gemini-embedding-001').embed(['a'], signal, 'document')
    await provider.embedder('gemini-embedding-2').embed(['a'], signal, 'query')
    await provider.embedder('gemini-embedding-2').embed(['a'], signal, 'document')
    const asked = server.requests.flatMap(({ body }) => body.requests as EmbedRequest[])
    expect(asked.map(({ taskType }) => taskType)).toEqual([
      'RETRIEVAL_QUERY',
      'RETRIEVAL_DOCUMENT',
      undefined,
      undefined,
    ])
    expect(texts(asked)).toEqual([['a'], ['a'], ['task: search result | query: a'], ['title: none | text: a']])
  })

  it('requests at most 100 vectors at once', async () => {
    await using server = await loopback(vectors)
    const many = Array.from({ length: 101 }, (_, index) => 'x'.repeat(index + 1))
    const embedded = await gemini({ apiKey, baseURL: server.baseURL })
      .embedder('gemini-embedding-001')
      .embed(many, signal)
    expect(embedded.map(([length]) => length)).toEqual(many.map(({ length }) => length))
    expect(server.requests.map(({ body }) => (body.requests as unknown[]).length)).toEqual([100, 1])
  })

  it('fails in the words of an AgentKitError (Q65)', async () => {
    const details = [{ retryDelay: '3s' }]
    await using server = await loopback(json(429, googleError(429, 'RESOURCE_EXHAUSTED', 'Too many.', details)))
    const embedder = gemini({ apiKey, baseURL: server.baseURL }).embedder('gemini-embedding-2')
    await expect(embedder.embed(['a'], signal)).rejects.toMatchObject({ code: 'rate-limit', retryAfterMs: 3000 })
  })

  it('closes the connection when it is aborted, or takes too long', async () => {
    const controller = new AbortController()
    await using server = await loopback(() => controller.abort())
    const provider = gemini({ apiKey, baseURL: server.baseURL })
    const aborted = provider.embedder('m').embed(['a'], controller.signal)
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    await server.closed
    await expect(provider.embedder('m', { timeoutMs: 20 }).embed(['a'], signal)).rejects.toMatchObject({
      code: 'timeout',
    })
  })
})
