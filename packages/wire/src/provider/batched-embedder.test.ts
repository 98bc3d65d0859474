import { getEventListeners } from 'node:events'
import { estimateText } from '@agentkit/core/internal'
import { describe, expect, it } from 'vitest'
import { callee, errorOf } from '../__fixtures__/streams.ts'
import { toProviderError } from '../errors/provider-error.ts'
import { batchedEmbedder, vectorsByIndex } from './batched-embedder.ts'

const { signal } = new AbortController()

function embedder(answer: (texts: string[]) => unknown, mostTexts = 2, mostTokens = 300_000) {
  const batches: string[][] = []
  const made = batchedEmbedder({
    ...callee,
    settings: {},
    mostTexts,
    mostTokens,
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
  it('sends batches as large as the API accepts, in order', async () => {
    const texts = ['a', 'bb', 'ccc', 'd'.repeat(90), 'e']
    const mostTokens = estimateText('ccc') + estimateText('d'.repeat(90)) - 1
    const { batches, embed } = embedder(lengths, 2, mostTokens)
    expect(await embed(texts, signal)).toEqual([1, 2, 3, 90, 1].map((length) => Float32Array.of(length)))
    expect(batches).toEqual([['a', 'bb'], ['ccc'], ['d'.repeat(90), 'e']])
  })

  it('counts the tokens of a request, of which some scripts have more than characters', async () => {
    const { batches, embed } = embedder(lengths, 100, 1_000)
    await embed(Array<string>(20).fill('北京大学图书馆'.repeat(10)), signal)
    const tokens = batches.map((batch) => batch.reduce((sum, text) => sum + estimateText(text), 0))
    expect(Math.max(...tokens)).toBeLessThanOrEqual(1_000)
    expect(batches.flat()).toHaveLength(20)
  })

  it('sends at most 300,000 characters at once', async () => {
    const { batches, embed } = embedder(lengths, 100, 1_000_000)
    await embed(Array<string>(7).fill('a'.repeat(100_000)), signal)
    expect(batches.map(({ length }) => length)).toEqual([3, 3, 1])
  })

  it('sends no empty text and no lone surrogates', async () => {
    const { batches, embed } = embedder(lengths)
    await embed(['', 'a\ud800'], signal)
    expect(batches).toEqual([[' ', 'a\ufffd']])
  })

  it.each(['a text', [5], [undefined], undefined])('takes a list of texts, not %j', async (texts) => {
    const { batches, embed } = embedder(lengths)
    // What JavaScript passes.
    expect(await errorOf(embed(texts as never, signal))).toMatchObject({
      ...{ code: 'invalid-argument', message: expect.stringContaining('a list of texts') },
      ...callee,
    })
    expect(batches).toEqual([])
  })

  it('sends no request without texts or after an abort', async () => {
    const { batches, embed } = embedder(lengths)
    expect(await embed([], signal)).toEqual([])
    expect(await errorOf(embed(['a'], AbortSignal.abort()))).toMatchObject({ code: 'aborted', ...callee })
    expect(batches).toEqual([])
  })

  it.each([undefined, [], [[1]], [[1], []], [[1], ['x']], [[1], [1, 2]]])(
    'fails on %j for two texts',
    async (answer) => {
      const { embed } = embedder(() => answer)
      expect(await errorOf(embed(['a', 'b'], signal))).toMatchObject({ code: 'malformed-stream', retryable: true })
    },
  )

  it('sends a text that exceeds the limit in a request of its own', async () => {
    const { batches, embed } = embedder(lengths, 2, 10)
    await embed(['a'.repeat(100), 'b'], signal)
    expect(batches.map(({ length }) => length)).toEqual([1, 1])
  })

  it('rejects a missing vector, an index out of range, and empty vectors', async () => {
    const far = [0, 1_000_000_000].map((index) => ({ index, embedding: [2] }))
    expect(vectorsByIndex({ data: far })).toHaveLength(1)
    for (const answer of [
      vectorsByIndex({ data: far }),
      vectorsByIndex({ data: [{ index: 1, embedding: [2] }] }),
      [[], []],
    ]) {
      const { embed } = embedder(() => answer)
      expect(await errorOf(embed(['a', 'b'], signal))).toMatchObject({ code: 'malformed-stream' })
    }
  })

  it.each<[string, number, (controller: AbortController) => void]>([
    ['timeout', 20, () => {}],
    ['aborted', 10_000, (controller) => void setTimeout(() => controller.abort())],
    ['timeout', 10_000, (controller) => controller.abort(new DOMException('late', 'TimeoutError'))],
  ])('fails with `%s` while its request is pending, and aborts it', async (code, timeoutMs, act) => {
    const controller = new AbortController()
    const sent: unknown[] = []
    const { embed, dimensions } = batchedEmbedder({
      ...callee,
      settings: { timeoutMs, dimensions: 3 },
      mostTexts: 2,
      request(_texts, signal, task) {
        sent.push(task, signal)
        act(controller)
        return new Promise(() => {})
      },
      toError: (error) => toProviderError(error, { ...callee, secrets: [] }),
    })
    expect(await errorOf(embed(['a'], controller.signal, 'query'))).toMatchObject({ code, ...callee })
    expect(sent).toMatchObject(['query', { aborted: true }])
    expect(dimensions).toBe(3)
  })

  it('leaves no listener on the signal of the caller', async () => {
    const { embed } = embedder(lengths)
    const controller = new AbortController()
    await embed(['a', 'b', 'c'], controller.signal)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('rejects an answer that is not JSON as malformed', async () => {
    const { embed } = embedder(() => JSON.parse('<html>'))
    expect(await errorOf(embed(['a'], signal))).toMatchObject({ code: 'malformed-stream', retryable: true })
  })

  it.each([
    { error: { message: 'No provider took the texts.', code: 429 } },
    { object: 'error', message: 'No provider took the texts.', code: 429 },
  ])('fails with the error that a gateway answers under the status 200: %j', async (answer) => {
    const { embed } = embedder(() => vectorsByIndex(answer))
    expect(await errorOf(embed(['a'], signal))).toMatchObject({
      ...{ code: 'rate-limit', status: 429, provider: 'acme', model: 'small' },
      message: expect.stringContaining('No provider took the texts.'),
    })
  })

  it('converts errors to AgentKitErrors', async () => {
    const { embed } = embedder(() => {
      throw new TypeError('fetch failed')
    })
    expect(await errorOf(embed(['a'], signal))).toMatchObject({ code: 'network', provider: 'acme' })
  })
})

it('accepts only vectors of the requested dimensions, of one length over all requests', async () => {
  const ask = (settings: object, answers: number[][]) => {
    const bounds: number[] = []
    const { embed } = batchedEmbedder({
      ...callee,
      settings,
      mostTexts: 1,
      async request(_texts, _signal, _task, mostBytes) {
        bounds.push(mostBytes)
        return [answers[bounds.length - 1]]
      },
      toError: (error) => toProviderError(error, { ...callee, secrets: [] }),
    })
    return { bounds, vectors: embed(['a', 'b'], new AbortController().signal) }
  }
  await expect(ask({ dimensions: 3 }, [[1, 2]]).vectors).rejects.toMatchObject({ code: 'malformed-stream' })
  await expect(ask({}, [[1, 2], [1]]).vectors).rejects.toThrow('each of 2 numbers')
  const { bounds, vectors } = ask({}, [[1], [2]])
  expect(await vectors).toHaveLength(2)
  expect(bounds[0]).toBeLessThan(500_000)
  expect(bounds[1]).toBeLessThan(100_000)
})

it('takes no answer above 256 MB, however many texts it has sent', async () => {
  const bounds: number[] = []
  const { embed } = batchedEmbedder({
    ...callee,
    settings: {},
    mostTexts: 10_000,
    async request(texts, _signal, _task, mostBytes) {
      bounds.push(mostBytes)
      return texts.map(() => [1])
    },
    toError: (error) => toProviderError(error, { ...callee, secrets: [] }),
  })
  await embed(Array<string>(10_000).fill('a'), signal)
  expect(bounds).toEqual([268_435_456])
})

describe('vectorsByIndex', () => {
  it('returns vectors in the order of the texts', () => {
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

  it('has no value where a vector is missing', () => {
    expect(vectorsByIndex({ data: [{ index: 1, embedding: [2] }] })).toEqual([undefined, [2]])
    expect(vectorsByIndex({ data: [null] })).toEqual([])
  })

  it.each([undefined, null, 'text', [], {}, { data: 'no list' }])('finds no vectors in %j', (answer) => {
    expect(vectorsByIndex(answer)).toBeUndefined()
  })
})

it('does not count the loading of the SDK as silence', async () => {
  const slow = batchedEmbedder({
    ...callee,
    settings: { timeoutMs: 20 },
    mostTexts: 2,
    load: () => new Promise((resolve) => setTimeout(resolve, 60)),
    request: async (texts) => lengths(texts),
    toError: (error) => toProviderError(error, { ...callee, secrets: [] }),
  })
  expect(await slow.embed(['a'], signal)).toEqual([Float32Array.of(1)])
})
