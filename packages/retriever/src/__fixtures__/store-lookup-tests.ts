import { expect, it } from 'vitest'
import { adding, makeFile, never, stored } from './make-file.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** Tests the contracts of `chunks`, `chunksOf`, `placesOf`, `vectorsOf` and `sample`. */
export function lookupTests(underTest: () => StoreUnderTest): void {
  it('gives chunks in the order of their ids, and leaves unknown ones out', async () => {
    const { store, dimensions } = underTest()
    const { record, chunks } = makeFile('a.md', ['One', 'Two', 'Three'], { dimensions })
    await store.apply(adding({ record, chunks }), never)
    const [one, two, three] = chunks.map(stored)
    const ids = [three?.id ?? '', 'no-such-id', one?.id ?? '', "it's", two?.id ?? '']
    expect(await store.chunks(ids)).toEqual([three, one, two])
    expect(await store.chunks([])).toEqual([])
  })

  it('gives a thousand chunks at once', async () => {
    const { store, dimensions } = underTest()
    const passages = Array.from({ length: 1000 }, (_, index) => `Passage number ${index}`)
    const file = makeFile('a.md', passages, { dimensions })
    await store.apply(adding(file), never)
    const ids = file.chunks.map(({ id }) => id).reverse()
    expect((await store.chunks(ids)).map(({ id }) => id)).toEqual(ids)
  })

  it("gives a file's chunks in their order, from one on, so many", async () => {
    const { store, dimensions } = underTest()
    const passages = Array.from({ length: 25 }, (_, index) => `Passage ${index}`)
    const file = makeFile('a.md', passages, { dimensions })
    const shuffled = { ...file, chunks: [...file.chunks.slice(11), ...file.chunks.slice(0, 11)] }
    await store.apply(adding(shuffled, makeFile('b.md', ['Other'], { dimensions })), never)
    const orders = async (options?: { from?: number; limit?: number }): Promise<number[]> =>
      (await store.chunksOf('a.md', options)).map(({ order }) => order)

    expect(await orders()).toEqual(passages.map((_, index) => index))
    expect(await orders({ from: 20 })).toEqual([20, 21, 22, 23, 24])
    expect(await orders({ from: 3, limit: 2 })).toEqual([3, 4])
    expect(await orders({ limit: 1 })).toEqual([0])
    expect(await orders({ from: 25 })).toEqual([])
    expect(await store.chunksOf('no-such-file.md')).toEqual([])
  })

  it("gives the places of a file's chunks in their order", async () => {
    const { store, dimensions } = underTest()
    const passages = Array.from({ length: 1_001 }, (_, index) => `Passage ${index}`)
    const file = makeFile('a.md', [...passages, { quote: 'Below', heading: 'It’s > “Über”' }], { dimensions })
    const shuffled = { ...file, chunks: [...file.chunks.slice(11), ...file.chunks.slice(0, 11)] }
    await store.apply(adding(shuffled, makeFile('b.md', ['Other'], { dimensions })), never)
    const places = file.chunks.map(({ id, start, end, heading }) => {
      return { id, file: 'a.md', start, end, ...(heading !== undefined && { heading }) }
    })
    expect(await store.placesOf('a.md')).toEqual(places)
    expect(await store.placesOf('no-such-file.md')).toEqual([])
  })

  it('keeps passages of the same words apart', async () => {
    const { store, dimensions } = underTest()
    const file = makeFile('a.md', ['Same words', 'Same words', 'Same words'], { dimensions })
    const twin = makeFile('b.md', ['Same words'], { dimensions })
    await store.apply(adding(file, twin), never)
    expect(await store.searchText('same words', { limit: 10, filter: {} })).toHaveLength(4)
    await store.apply({ changed: [], removed: ['a.md'] }, never)
    expect(await store.chunks(twin.chunks.map(({ id }) => id))).toEqual(twin.chunks.map(stored))
    expect(await store.verify()).toEqual([])
  })

  it('knows vectors by what they are of', async () => {
    const { store, dimensions } = underTest()
    if (dimensions === undefined) return
    const file = makeFile('a.md', ['One', 'Two', 'Two'], { dimensions })
    await store.apply(adding(file), never)
    const [one, two] = file.chunks
    const found = await store.vectorsOf([two?.textHash ?? '', 'unknown', one?.textHash ?? ''])
    expect(found.size).toBe(2)
    expect(found.get(one?.textHash ?? '')).toEqual(one?.vector)
    expect(found.get(two?.textHash ?? '')).toEqual(two?.vector)
    expect(await store.vectorsOf([])).toEqual(new Map())
  })

  it('samples the same chunks at each call, with their vectors', async () => {
    const { store, dimensions, openAgain } = underTest()
    const passages = Array.from({ length: 60 }, (_, index) => `Passage ${index}`)
    const file = makeFile('a.md', passages, { dimensions })
    await store.apply(adding(file), never)
    const sample = await store.sample(7)

    expect(new Set(sample.map(({ id }) => id)).size).toBe(7)
    for (const chunk of sample) expect(chunk).toEqual(file.chunks[chunk.order])
    expect(await store.sample(7)).toEqual(sample)
    expect(await (await openAgain()).sample(7)).toEqual(sample)
    expect(await store.sample(1000)).toHaveLength(60)
  })
}
