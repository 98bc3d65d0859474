import { expect, it } from 'vitest'
import type { Filter } from '../data/search-filter.ts'
import { adding, makeFile, never, unit, vectorOf } from './make-file.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** Tests the contract of `searchVector`. */
export function vectorSearchTests(underTest: () => StoreUnderTest): void {
  /** A vector in the plane of the first two dimensions. */
  const at = (degrees: number): Float32Array => {
    const { dimensions = 8 } = underTest()
    const radians = (degrees * Math.PI) / 180
    return unit([Math.cos(radians), Math.sin(radians), ...new Array<number>(dimensions - 2).fill(0)])
  }
  const search = async (vector: Float32Array, filter: Filter = {}, limit = 10) => {
    const { store } = underTest()
    const found = await store.searchVector(vector, { limit, filter })
    const chunks = await store.chunks(found.map(({ id }) => id))
    return found.map(({ score }, place) => ({ quote: chunks[place]?.quote, score }))
  }

  it('orders by the cosine', async () => {
    const { store, dimensions } = underTest()
    const passages = [90, 10, 180, 45, 0].map((degrees) => ({ quote: `At ${degrees}`, vector: at(degrees) }))
    await store.apply(adding(makeFile('a.md', passages, { dimensions })), never)
    const found = await search(at(0))
    expect(found.map(({ quote }) => quote)).toEqual(['At 0', 'At 10', 'At 45', 'At 90', 'At 180'])
    const cosines = [1, Math.cos(Math.PI / 18), Math.SQRT1_2, 0, -1]
    for (const [place, cosine] of cosines.entries()) expect(found[place]?.score).toBeCloseTo(cosine, 4)
    expect((await search(at(100), {}, 2)).map(({ quote }) => quote)).toEqual(['At 90', 'At 45'])
  })

  it('finds the same as a comparison with each of them', async () => {
    const { store, dimensions = 8 } = underTest()
    const passages = Array.from({ length: 500 }, (_, number) => `Passage ${number}`)
    const file = makeFile('a.md', passages, { dimensions })
    await store.apply(adding(file), never)
    const query = vectorOf('a question', dimensions)
    const cosine = (vector: Float32Array): number => vector.reduce((sum, value, place) => sum + value * (query[place] ?? 0), 0)
    const expected = file.chunks
      .map(({ id, vector }) => ({ id, score: vector ? cosine(vector) : 0 }))
      .sort((one, other) => other.score - one.score)
      .slice(0, 10)
    const found = await store.searchVector(query, { limit: 10, filter: {} })
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
  })

  it.each<[string, Filter, string[]]>([
    ['a file', { paths: ['docs/a.md'] }, ['docs/a.md']],
    ['a folder', { paths: ['docs/'] }, ['docs/a.md', 'docs/deep/c.csv']],
    ['extensions', { exts: ['.csv', '.txt'] }, ['b.txt', 'docs/deep/c.csv']],
    ['a folder and an extension', { paths: ['docs/'], exts: ['.md'] }, ['docs/a.md']],
    ['nothing that is there', { paths: ['elsewhere/'] }, []],
  ])('filters vectors by %s', async (_what, filter, files) => {
    const { store, dimensions } = underTest()
    const names = ['docs/a.md', 'b.txt', 'docs/deep/c.csv', 'docs2/d.MD']
    await store.apply(adding(...names.map((name) => makeFile(name, [name], { dimensions }))), never)
    expect((await search(at(0), filter)).map(({ quote }) => quote).sort()).toEqual(files)
  })

  it('fills the limit behind a filter that few vectors pass', async () => {
    const { store, dimensions } = underTest()
    const many = Array.from({ length: 300 }, (_, number) => ({ quote: `Near ${number}`, vector: at(number / 300) }))
    const few = makeFile('few.txt', [{ quote: 'Far', vector: at(120) }], { dimensions })
    await store.apply(adding(makeFile('many.md', many, { dimensions }), few), never)
    expect((await search(at(0), { exts: ['.txt'] }, 5)).map(({ quote }) => quote)).toEqual(['Far'])
  })

  it('forgets vectors with their chunks', async () => {
    const { store, dimensions, openAgain } = underTest()
    const reader = await openAgain()
    const before = [{ quote: 'Before', vector: at(0) }]
    await store.apply(adding(makeFile('a.md', before, { dimensions })), never)
    expect((await search(at(0))).map(({ quote }) => quote)).toEqual(['Before'])
    expect(await reader.searchVector(at(0), { limit: 5, filter: {} })).toHaveLength(1)

    const after = makeFile('a.md', [{ quote: 'After', vector: at(90) }], { dimensions })
    await store.apply(adding(after), never)
    expect((await search(at(0))).map(({ quote }) => quote)).toEqual(['After'])
    expect(await reader.searchVector(at(0), { limit: 5, filter: {} })).toMatchObject([{ id: after.chunks[0]?.id }])
    await store.maintain(never)
    expect((await search(at(0))).map(({ quote }) => quote)).toEqual(['After'])
    await store.apply({ changed: [], removed: ['a.md'] }, never)
    expect(await search(at(0))).toEqual([])
    expect(await reader.searchVector(at(0), { limit: 5, filter: {} })).toEqual([])
  })

  it('gives chunks without a vector to searches of words alone', async () => {
    const { store } = underTest()
    const { record, chunks } = makeFile('a.md', ['No vector'])
    await store.apply(adding({ record, chunks }), never)
    expect(await search(at(0))).toEqual([])
    expect(await store.searchText('vector', { limit: 5, filter: {} })).toHaveLength(1)
    expect(await store.verify()).toEqual([])
  })
}
