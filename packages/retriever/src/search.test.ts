import { AgentKitError, type Embedder } from '@agentkit/core'
import { afterEach, describe, expect, it } from 'vitest'
import { adding, makeFile, never, unit } from './__fixtures__/make-file.ts'
import { type TestStore, testStore } from './__fixtures__/test-store.ts'
import {
  constantEmbedder,
  embedderWith,
  passageOf,
  randomEmbedder,
  topicChunks,
  topicCount,
} from './__fixtures__/topics.ts'
import type { NewChunk } from './data/chunk.ts'
import type { Hit } from './data/cite.ts'
import { wordsOnlyTrust } from './rank/trust.ts'
import { type SearchStoreOptions, searchStore } from './search.ts'
import type { Store, StoreMeta } from './store/store.ts'

let opened: TestStore | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

async function storeOf(chunks: readonly NewChunk[], meta: StoreMeta = {}): Promise<Store> {
  opened = await testStore(chunks)
  await opened.store.setMeta(meta)
  return opened.store
}

function search(store: Store, query: string, options: Partial<SearchStoreOptions> = {}): Promise<Hit[]> {
  return searchStore(store, query, { limit: 10, filter: {}, signal: never, ...options })
}

const filesOf = (hits: readonly Hit[]): string[] => hits.map(({ file }) => file)

/** Returns the same vector for every query. */
const eastward: Embedder = { id: 'acme/compass', embed: async (texts) => texts.map(() => Float32Array.of(2, 0, 0)) }
const east = unit([1, 0, 0])
const nearlyEast = unit([1, 0.5, 0])
const north = unit([0, 1, 0])

/** Files that words and vectors rank in different orders. */
const meadow = [
  ...passageAt('bees.md', { quote: 'Bees make honey. Honey is sweet.', vector: north, heading: 'Insects' }),
  ...passageAt('bears.md', { quote: 'A bear likes honey and sleeps in winter.', vector: nearlyEast }),
  ...passageAt('sugar/cane.txt', { quote: 'Cane is what sugar comes from.', vector: east }),
  ...passageAt('sugar/maple.txt', { quote: 'Maples drip with syrup.', vector: unit([1, 0.8, 0]) }),
  ...passageAt('sugar/date.txt', { quote: 'Dates grow on palms.', vector: unit([1, 0.9, 0]) }),
]
const trusted = { trust: 1, embedder: eastward.id, dimensions: 3 }

describe('a search by words', () => {
  it('finds by a misspelt word beside one that other texts have', async () => {
    const store = await storeOf([
      ...passageAt('privacy.md', { quote: 'The privacy policy protects you.', vector: north }),
      ...passageAt('hotel.md', { quote: 'The accommodation allowance is generous.', vector: north }),
      ...passageAt('sugar.md', { quote: 'Cane is what sugar comes from.', vector: north }),
    ])
    expect(filesOf(await search(store, 'acommodation policy')).sort()).toEqual(['hotel.md', 'privacy.md'])
  })

  it('asks a store once that gives the chunks with their scores', async () => {
    const store = await storeOf(meadow)
    let lookups = 0
    const asksOnce: Store = {
      ...store,
      async searchText(query, { withChunks, ...options }) {
        const found = await store.searchText(query, options)
        const chunks = withChunks ? await store.chunks(found.map(({ id }) => id)) : []
        return found.map((one, index) => ({ ...one, ...(chunks[index] && { chunk: chunks[index] }) }))
      },
      chunks(ids) {
        lookups++
        return store.chunks(ids)
      },
    }
    expect(await search(asksOnce, 'honey')).toEqual(await search(store, 'honey'))
    expect(lookups).toBe(0)
  })

  it('cites its hits, the best first', async () => {
    const [best, next] = await search(await storeOf(meadow), 'honey')
    expect(best).toEqual({
      file: 'bees.md',
      heading: 'Insects',
      start: 0,
      end: 32,
      quote: 'Bees make honey. Honey is sweet.',
      text: 'Insects\nBees make honey. Honey is sweet.',
      chunkId: meadow[0]?.id,
      score: { text: expect.any(Number), fused: 1 / 61 },
    })
    expect(next?.file).toBe('bears.md')
  })

  it('marks passages of an earlier version of a file', async () => {
    const hits = await search(await storeOf(meadow), 'honey', { staleFiles: new Set(['bears.md']) })
    expect(hits.map(({ file, stale }) => [file, stale])).toEqual([
      ['bees.md', undefined],
      ['bears.md', true],
    ])
  })

  it.each([
    ['extensions', { exts: ['TXT'] }, ['sugar/cane.txt']],
    ['a folder', { paths: ['./sugar/'] }, ['sugar/cane.txt']],
    ['files', { paths: ['bees.md', 'bears.md'] }, ['bees.md', 'bears.md']],
    ['nothing', { paths: [] }, []],
  ])('keeps to %s', async (_, filter, files) => {
    expect(filesOf(await search(await storeOf(meadow), 'honey sugar', { filter }))).toEqual(files)
  })

  it('corrects misspelt words when there are no other hits', async () => {
    expect(filesOf(await search(await storeOf(meadow), 'honny'))).toEqual(['bees.md', 'bears.md'])
  })

  it('returns three passages of a file among ten, and the others after them', async () => {
    const chunks = [
      ...makeFile(
        'long.md',
        Array.from({ length: 8 }, (_, at) => `Honey honey honey ${at}`),
      ).chunks,
      ...Array.from(
        { length: 9 },
        (_, at) => makeFile(`short${at}.md`, [`There is honey in jar number ${at}`]).chunks,
      ).flat(),
    ]
    const hits = await search(await storeOf(chunks), 'honey', { limit: 17 })
    expect(new Set(hits.map(({ chunkId }) => chunkId)).size).toBe(17)
    expect(filesOf(hits.slice(0, 10)).filter((file) => file === 'long.md')).toHaveLength(3)
  })

  it.each([1, 30, 1000])('returns everything up to the limit: %i', async (limit) => {
    const store = await storeOf(
      makeFile(
        'a.md',
        Array.from({ length: 1100 }, (_, at) => `honey ${at}`),
      ).chunks,
    )
    expect(await search(store, 'honey', { limit })).toHaveLength(limit)
    expect(await search(store, 'honey', { limit: 5000 })).toHaveLength(1000)
  })

  it('does not start after an abort', async () => {
    const search_ = search(await storeOf(meadow), 'honey', { signal: AbortSignal.abort() })
    await expect(search_).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('a search while the index changes', () => {
  /** Changes the store between search and reading, this many times. */
  function changing(store: Store, times: number): Store & { changes: number } {
    return {
      ...store,
      changes: 0,
      async chunks(ids) {
        if (this.changes < times) {
          this.changes++
          await store.apply(adding(makeFile('bees.md', [`Bees make honey, says version ${this.changes}`])), never)
        }
        return store.chunks(ids)
      },
    }
  }

  it('returns the passages of the index after the change', async () => {
    const store = changing(await storeOf(makeFile('bees.md', ['Bees make honey']).chunks), 3)
    expect((await search(store, 'honey')).map(({ quote }) => quote)).toEqual(['Bees make honey, says version 3'])
  })

  it('terminates, however often it changes', async () => {
    const store = changing(await storeOf(makeFile('bees.md', ['Bees make honey']).chunks), Number.POSITIVE_INFINITY)
    expect(await search(store, 'honey')).toEqual([])
    expect(store.changes).toBeLessThanOrEqual(20)
  })

  it('calls the embedder once', async () => {
    const store = changing(await storeOf(meadow, trusted), 2)
    let asked = 0
    const embedder: Embedder = {
      ...eastward,
      async embed(texts) {
        asked++
        return texts.map(() => Float32Array.of(1, 0, 0))
      },
    }
    const hits = await search(store, 'honey', { embedder })
    expect(filesOf(hits)).toContain('bees.md')
    expect(asked).toBe(1)
  })
})

describe('a search by words and meaning', () => {
  it('returns the hits of both, and common hits first', async () => {
    const hits = await search(await storeOf(meadow, trusted), 'honey', { embedder: eastward })
    expect(filesOf(hits)).toEqual(['bears.md', 'bees.md', 'sugar/cane.txt', 'sugar/maple.txt', 'sugar/date.txt'])
    expect(hits[0]?.score).toEqual({
      text: expect.any(Number),
      vector: expect.closeTo(0.894, 3),
      fused: 1 / 62 + 1 / 62,
    })
  })

  it('requests the vector of a query', async () => {
    const asked: unknown[] = []
    const embedder: Embedder = {
      ...eastward,
      async embed(texts, _signal, task) {
        asked.push([texts, task])
        return [Float32Array.of(1, 0, 0)]
      },
    }
    await search(await storeOf(meadow, trusted), 'honey', { embedder })
    expect(asked).toEqual([[['honey'], 'query']])
  })

  it('finds the same meaning in other words', async () => {
    const hits = await search(await storeOf(meadow, trusted), 'sweetener', { embedder: eastward })
    expect(hits[0]).toMatchObject({ file: 'sugar/cane.txt', score: { vector: 1, fused: 1 / 61 } })
  })

  it('finds it also with an unknown embedder, when words find nothing at all', async () => {
    const store = await storeOf(meadow, { embedder: eastward.id, dimensions: 3 })
    expect(filesOf(await search(store, 'saccharose', { embedder: eastward }))[0]).toBe('sugar/cane.txt')
  })

  it.each([
    ['knows words alone', { ...trusted, trust: wordsOnlyTrust }, eastward],
    ['is another than the index has', { ...trusted, embedder: 'acme/sextant' }, eastward],
    ['is the offline one', { trust: 1 }, { ...eastward, id: 'offline/hashed' }],
  ])('does not ask an embedder that %s', async (_, meta, { id }) => {
    const embedder: Embedder = { id, embed: () => expect.fail('asked') }
    expect(filesOf(await search(await storeOf(meadow, meta), 'honey', { embedder }))).toEqual(['bees.md', 'bears.md'])
  })
})

describe('an embedder that fails', () => {
  const failing = (error: unknown): Embedder => ({ ...eastward, embed: () => Promise.reject(error) })
  const keyIsWrong = new AgentKitError('auth', 'The key is wrong.')

  it.each([
    ['an AgentKitError', failing(keyIsWrong), 'The key is wrong.'],
    ['another error', failing(new TypeError('no such thing')), 'acme/compass failed: no such thing'],
    ['no vectors', { ...eastward, embed: async () => [] }, 'was given 1 texts and answered with 0 vectors'],
    ['not a number', { ...eastward, embed: async () => [Float32Array.of(1, Number.NaN, 0)] }, 'number missing'],
    ['a message with a key', failing(new Error('401: sk-1234567890')), 'acme/compass failed: 401: [redacted]'],
    ['an AgentKitError with a key', failing(new AgentKitError('auth', 'sk-1234567890')), 'failed: [redacted]'],
    ['a vector of another length', { ...eastward, embed: async () => [Float32Array.of(1, 0)] }, '2 numbers'],
  ])('by %s leaves it to words, and says so', async (_, embedder, message) => {
    const warnings: string[] = []
    const store = await storeOf(meadow, trusted)
    const hits = await search(store, 'honey', { embedder, onWarning: (warning) => warnings.push(warning) })
    expect(filesOf(hits)).toEqual(['bees.md', 'bears.md'])
    expect(warnings).toEqual([expect.stringContaining(message)])
  })

  it('with vectors of another length than declared is reported with the fix: a sync would fail too', async () => {
    const embedder: Embedder = { ...eastward, dimensions: 3, embed: async () => [Float32Array.of(1, 0)] }
    await expect(search(await storeOf(meadow, trusted), 'xylophone', { embedder })).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringContaining('Set its `dimensions` to 2.'),
    })
  })

  it('fails the search when words find nothing', async () => {
    const store = await storeOf(meadow, trusted)
    await expect(search(store, 'xylophone', { embedder: failing(keyIsWrong) })).rejects.toBe(keyIsWrong)
  })

  it('is retried after a transient failure', async () => {
    let requests = 0
    const embedder: Embedder = {
      ...eastward,
      async embed() {
        if (++requests < 2) throw new AgentKitError('overloaded', 'Busy.', { retryAfterMs: 1 })
        return [Float32Array.of(1, 0, 0)]
      },
    }
    const [best] = await search(await storeOf(meadow, trusted), 'honey', { embedder })
    expect([requests, best?.score.vector]).toEqual([2, expect.any(Number)])
  })

  it('with a zero vector leaves the search to words, without a warning', async () => {
    const embedder: Embedder = { ...eastward, embed: async () => [new Float32Array(3)] }
    const onWarning = (warning: string): never => expect.fail(warning)
    const hits = await search(await storeOf(meadow, trusted), 'honey', { embedder, onWarning })
    expect(filesOf(hits)).toEqual(['bees.md', 'bears.md'])
  })

  it('and whose search was aborted ends the search', async () => {
    const ending = new AbortController()
    const embedder: Embedder = {
      ...eastward,
      embed() {
        ending.abort()
        return new Promise(() => {})
      },
    }
    const found = search(await storeOf(meadow, trusted), 'honey', { embedder, signal: ending.signal })
    await expect(found).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('an unknown embedder', () => {
  const queries = Array.from({ length: 12 }, (_, at) => passageOf(at, 1000 + at, 3))
  const options = { limit: 10, filter: { exts: ['.md'] } }

  it.each([randomEmbedder(), constantEmbedder()])('changes nothing when it finds at random: $id', async (embedder) => {
    const store = await storeOf(await topicChunks(400, embedder))
    for (const query of queries) {
      const byWords = await search(store, query, options)
      expect(await search(store, query, { ...options, embedder })).toEqual(byWords)
    }
  })

  it('is trusted as soon as it finds the same passages as words do, among many', async () => {
    // Words find only a topic's passages that contain the words of the query; vectors find all passages of the topic.
    const subjects = Array.from({ length: topicCount }, (_, at) =>
      unit(Array.from({ length: 128 }, (__, axis) => +(axis === at))),
    )
    const texts = Array.from(
      { length: 400 },
      (_, at) => [passageOf(at % topicCount, at), subjects[at % topicCount]] as const,
    )
    const answers = [...texts, ...queries.map((query, at) => [query, subjects[at]] as const)]
    const known = new Map(answers.map(([text, vector = new Float32Array()], at) => [text, slightlyOff(vector, at)]))
    const embedder = embedderWith(known, randomEmbedder())
    const store = await storeOf(await topicChunks(400, embedder))
    for (const query of queries.slice(0, 5)) {
      const hits = await search(store, query, { ...options, embedder })
      expect(hits.some(({ score }) => score.text !== undefined && score.vector !== undefined)).toBe(true)
    }
  })
})

/** Makes the score of each passage distinct. */
function slightlyOff(vector: Float32Array, at: number): Float32Array {
  return vector.map((number, axis) => number + (axis > topicCount ? Math.sin(at * axis) / 50 : 0))
}

function passageAt(file: string, passage: { quote: string; vector: Float32Array; heading?: string }): NewChunk[] {
  return makeFile(file, [passage], { dimensions: 3 }).chunks
}

it('calls a useless embedder when the index has only vectors', async () => {
  const store = await storeOf(meadow, { ...trusted, trust: wordsOnlyTrust })
  const without = await search(store, 'honey', { embedder: eastward })
  const hits = await search(store, 'honey', { embedder: eastward, needsVectors: true })
  expect(filesOf(without)).toEqual(['bees.md', 'bears.md'])
  expect(filesOf(hits)).toHaveLength(5)
})
