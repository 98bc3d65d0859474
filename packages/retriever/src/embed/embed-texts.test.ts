import { AgentKitError, type Embedder } from '@agentkit/core'
import { expect, it } from 'vitest'
import { countingEmbedder } from '../__fixtures__/counting-embedder.ts'
import { never } from '../__fixtures__/make-file.ts'
import { embedTexts, findDimensions } from './embed-texts.ts'

const textsOf = (count: number, length = 10): Map<string, string> =>
  new Map(Array.from({ length: count }, (_, index) => [`key ${index}`, `${index} `.padEnd(length, 'x')]))

it('returns a vector of length 1 for each text', async () => {
  const embedder: Embedder = {
    id: 'acme/small',
    embed: async (texts) => texts.map((text) => Float32Array.of(text.length, 0)),
  }
  const texts = new Map([
    ['a', 'four'],
    ['b', 'seven..'],
  ])
  const vectors = await embedTexts(texts, { embedder, signal: never, onVectors: () => {} })
  expect([...vectors]).toEqual([
    ['a', Float32Array.of(1, 0)],
    ['b', Float32Array.of(1, 0)],
  ])
})

it('requests vectors of documents, with a limit of texts and characters per request', async () => {
  const requests: { count: number; characters: number; task: string | undefined }[] = []
  const embedder: Embedder = {
    id: 'acme/small',
    async embed(texts, _, task) {
      requests.push({ count: texts.length, characters: texts.join('').length, task })
      return texts.map(() => Float32Array.of(1))
    },
  }
  await embedTexts(textsOf(600), { embedder, signal: never, onVectors: () => {} })
  expect(requests.map(({ count }) => count)).toEqual([256, 256, 88])
  requests.length = 0
  await embedTexts(textsOf(150, 3000), { embedder, signal: never, onVectors: () => {} })
  expect(requests.every(({ characters }) => characters <= 200_000)).toBe(true)
  expect(requests.reduce((sum, { count }) => sum + count, 0)).toBe(150)
  expect(new Set(requests.map(({ task }) => task))).toEqual(new Set(['document']))
})

it('cuts texts that are longer than models read, at a whole character', async () => {
  const embedder = countingEmbedder()
  await embedTexts(new Map([['a', '🙂'.repeat(9000)]]), { embedder, signal: never, onVectors: () => {} })
  expect(Buffer.byteLength(embedder.texts[0] as string)).toBe(11_000)
  expect(embedder.texts[0]).toBe('🙂'.repeat(2750))
})

it('retries transient failures, and keeps the vectors that came before a failure', async () => {
  const embedder = countingEmbedder()
  embedder.before = (texts, request) => {
    if (request === 1) throw new AgentKitError('overloaded', 'Busy.', { retryAfterMs: 1 })
    if (texts[0]?.startsWith('512')) throw new AgentKitError('quota', 'No money left.')
  }
  const kept: string[] = []
  const onVectors = (vectors: ReadonlyMap<string, Float32Array>): void => void kept.push(...vectors.keys())
  await expect(embedTexts(textsOf(600), { embedder, signal: never, onVectors })).rejects.toMatchObject({
    code: 'quota',
  })
  expect(kept).toHaveLength(512)
})

it.each([
  [503, 3],
  [429, 3],
  [401, 1],
])('retries foreign errors with a transient status: %i', async (status, attempts) => {
  const embedder = countingEmbedder()
  let requests = 0
  embedder.before = (_, request) => {
    requests = request
    if (request < 3) throw Object.assign(new Error('Not now.'), { status })
  }
  await embedTexts(textsOf(1), { embedder, signal: never, onVectors() {} }).catch((error: unknown) =>
    expect(error).toMatchObject({ code: 'provider-error', status: 401 }),
  )
  expect(requests).toBe(attempts)
})

const answers: [string, unknown, string][] = [
  ['no list', 'vectors', 'did not answer with a list'],
  ['too few', [Float32Array.of(1)], 'given 2 texts and answered with 1 vectors'],
  ['plain numbers', [[1], [2]], 'no Float32Array'],
  ['empty vectors', [new Float32Array(), new Float32Array()], 'no Float32Array'],
  ['several lengths', [Float32Array.of(1), Float32Array.of(1, 2)], 'vectors of 1 and of 2 numbers'],
  ['not a number', [Float32Array.of(1), Float32Array.of(Number.NaN)], 'number missing'],
]
it.each(answers)('refuses an answer with %s', async (_, answer, message) => {
  // An embedder is foreign code.
  const embedder: Embedder = { id: 'acme/small', embed: async () => answer as Float32Array[] }
  const embedding = embedTexts(textsOf(2), { embedder, signal: never, onVectors: () => {} })
  await expect(embedding).rejects.toMatchObject({ code: 'provider-error' })
  await expect(embedding).rejects.toThrow(message)
})

it('names the option to set when the embedder returns other dimensions', async () => {
  const embedding = embedTexts(textsOf(1), {
    embedder: countingEmbedder(),
    dimensions: 3,
    signal: never,
    onVectors() {},
  })
  await expect(embedding).rejects.toMatchObject({ code: 'invalid-config', found: 8 })
  await expect(embedding).rejects.toThrow('Set its `dimensions` to 8')
})

it('wraps any thrown value in an error that names the embedder, and no key', async () => {
  const embedder = countingEmbedder()
  embedder.before = () => {
    throw new TypeError('boom with sk-1234567890')
  }
  await expect(embedTexts(textsOf(1), { embedder, signal: never, onVectors() {} })).rejects.toMatchObject({
    code: 'provider-error',
    message: 'The embedder acme/small failed: boom with [redacted]',
  })
})

it('stops at once when it is aborted, even if the embedder ignores the signal', async () => {
  const controller = new AbortController()
  const embedder: Embedder = { id: 'acme/deaf', embed: () => new Promise(() => {}) }
  const embedding = embedTexts(textsOf(1), { embedder, signal: controller.signal, onVectors() {} })
  controller.abort()
  await expect(embedding).rejects.toMatchObject({ code: 'aborted' })
})

it('measures the length of vectors only when the embedder does not declare it', async () => {
  const silent = countingEmbedder('acme/small', { makes: 5 })
  expect(await findDimensions(silent, never)).toBe(5)
  expect(silent.texts).toHaveLength(1)
  const telling = countingEmbedder('acme/small', { dimensions: 8 })
  expect(await findDimensions(telling, never)).toBe(8)
  expect(telling.texts).toHaveLength(0)
})
