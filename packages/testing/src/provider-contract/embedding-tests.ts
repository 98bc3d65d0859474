import { describe, expect, it } from 'vitest'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import { type Subject, testKey } from './provider-under-test.ts'

const { signal } = new AbortController()

/** One vector per text, or a clear error from a provider without embeddings. */
export function embeddingTests({ wire, makeProvider, models }: Subject): void {
  const { embedding } = models
  describe('an embedder', () => {
    if (embedding === undefined)
      it('is refused, with an alternative', () => {
        const provider = makeProvider({ url: 'http://127.0.0.1:1', apiKey: testKey })
        expect(() => provider.embedder?.('any')).toThrow(
          expect.objectContaining({ code: 'unsupported', message: expect.stringMatching(/openai/i) }),
        )
      })

    if (embedding !== undefined)
      it('returns one vector per text, in order (Q31, Q66)', async () => {
        await using server = await fakeProvider(wire)
        const embedder = makeProvider({ url: server.url, apiKey: testKey }).embedder?.(embedding ?? '')
        const texts = [
          'one',
          'two',
          '',
          'half \ud83d',
          ...Array.from({ length: 300 }, (_, index) => `text ${index}`),
          // More tokens than characters, in some models.
          ...Array.from({ length: 40 }, () => '北京大学图书馆'.repeat(60)),
          'one',
        ]
        const vectors = (await embedder?.embed(texts, signal, 'document')) ?? []
        expect(vectors).toHaveLength(texts.length)
        expect(vectors.every((vector) => vector instanceof Float32Array && vector.length > 0)).toBe(true)
        expect(vectors[0]).toEqual(vectors.at(-1))
        expect(vectors[0]).not.toEqual(vectors[1])
        expect(await embedder?.embed(['two'], signal, 'document')).toEqual([vectors[1]])
        expect(vectors[0]?.some((number) => number !== 0)).toBe(true)
      })

    if (embedding !== undefined)
      it('sends one request, also when a kept-alive connection breaks (Q15)', async () => {
        await using server = await fakeProvider(wire, (_request, index) =>
          index === 1 ? { fault: 'reset' } : undefined,
        )
        const embedder = makeProvider({ url: server.url, apiKey: testKey }).embedder?.(embedding ?? '')
        await embedder?.embed(['one'], signal)
        await expect(embedder?.embed(['two'], signal)).rejects.toMatchObject({ code: 'network', retryable: true })
        expect(server.requests).toHaveLength(2)
      })

    if (embedding !== undefined)
      it('fails with the errors of a model', async () => {
        await using server = await fakeProvider(wire, [{ status: 429, retryAfter: 3 }])
        const embedder = makeProvider({ url: server.url, apiKey: testKey }).embedder?.(embedding ?? '')
        await expect(embedder?.embed(['one'], signal)).rejects.toMatchObject({
          code: 'rate-limit',
          retryAfterMs: 3000,
          model: embedding,
        })
        const aborted = embedder?.embed(['one'], AbortSignal.abort())
        await expect(aborted).rejects.toMatchObject({ code: 'aborted', model: embedding })
      })
  })
}
