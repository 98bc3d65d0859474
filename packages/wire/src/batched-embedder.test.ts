import { describe, expect, it } from 'vitest'
import { callee, errorOf } from './__fixtures__/streams.ts'
import { batchedEmbedder, vectorsByIndex } from './batched-embedder.ts'
import { toProviderError } from './provider-error.ts'

const { signal } = new AbortController()

function embedder(answer: (texts: string[]) => unknown, mostTexts = 2) {
  const batches: string[][] = []
  const made = batchedEmbedder({
    ...callee,
    settings: {},
    mostTexts,
    mostCharacters: 10,
    async request(texts) {
      batches.push(texts)
      return answer(texts)
    },
    toError: (error) => toProviderError(error, { ...callee, secrets: [] }),
  })
  return { batches, embed: made.embed.bind(made), made }
}

const lengths = (texts: string[]): number[][] => texts.map(({ length }) => [length])

describe('an embedder', () => {
  it('asks for as many at once as the API gives, in order', async () => {
    const { batches, embed } = embedder(lengths)
    expect(await embed(['a', 'bb', 'ccc', 'd'.repeat(9), 'e'], signal)).toEqual(
      [1, 2, 3, 9, 1].map((length) => Float32Array.of(length)),
    )
    expect(batches).toEqual([['a', 'bb'], ['ccc'], ['d'.repeat(9), 'e']])
  })

  it('sends no empty text and no half characters', async () => {
    const { batches, embed } = embedder(lengths)
    await embed(['', 'a\ud800'], signal)
    expect(batches).toEqual([[' ', 'a\ufffd']])
  })

  it('asks nobody for nothing, nor after an abort', async () => {
    const { batches, embed } = embedder(lengths)
    expect(await embed([], signal)).toEqual([])
    expect(await errorOf(embed(['a'], AbortSignal.abort()))).toMatchObject({ code: 'aborted' })
    expect(batches).toEqual([])
  })

  it.each([undefined, [], [[1]], [[1], []], [[1], ['x']], [[1], [1, 2]]])(
    'fails on %j for two texts',
    async (answer) => {
      const { embed } = embedder(() => answer)
      expect(await errorOf(embed(['a', 'b'], signal))).toMatchObject({ code: 'malformed-stream', retryable: true })
    },
  )

  it('takes an answer that is no JSON for malformed', async () => {
    const { embed } = embedder(() => JSON.parse('<html>'))
    expect(await errorOf(embed(['a'], signal))).toMatchObject({ code: 'malformed-stream', retryable: true })
  })

  it('turns failures into ours', async () => {
    const { embed } = embedder(() => {
      throw new TypeError('fetch failed')
    })
    expect(await errorOf(embed(['a'], signal))).toMatchObject({ code: 'network', provider: 'acme' })
  })
})

describe('vectorsByIndex', () => {
  it('puts vectors in the order of the texts', () => {
    expect(
      vectorsByIndex({
        data: [
          { index: 1, embedding: [2] },
          { index: 0, embedding: [1] },
        ],
      }),
    ).toEqual([[1], [2]])
    expect(vectorsByIndex({ data: [{ embedding: [1] }, { embedding: [2] }] })).toEqual([[1], [2]])
  })

  it('leaves a hole where one is missing', () => {
    expect(vectorsByIndex({ data: [{ index: 1, embedding: [2] }] })).toEqual([undefined, [2]])
    expect(vectorsByIndex({ data: [null] })).toEqual([])
  })

  it.each([undefined, null, 'text', [], {}, { data: 'no list' }])('finds none in %j', (answer) => {
    expect(vectorsByIndex(answer)).toBeUndefined()
  })
})
