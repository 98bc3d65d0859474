import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CloudUnderTest, cloudUnderTest, dimensions, fileOf } from '../../__fixtures__/cloud-test-space.ts'
import type { FakePinecone } from '../../__fixtures__/fake-pinecone-types.ts'
import { adding, makeFile, never, unit } from '../../__fixtures__/make-file.ts'
import type { Store, StoreSpace } from '../store.ts'

let subject: CloudUnderTest
let fake: FakePinecone
let space: StoreSpace
let store: Store
beforeEach(async () => {
  subject = await cloudUnderTest()
  fake = subject.fake
  space = subject.again()
  store = await space.open('first', { dimensions })
})
afterEach(() => subject.cleanup())

const east = unit([1, 0, 0, 0, 0, 0, 0, 0])

it.runIf(process.platform !== 'win32')('keeps its state in files that only their owner can read', async () => {
  await store.apply(adding(fileOf('a.md', 1)), never)
  const names = await readdir(subject.folder, { recursive: true })
  const modes = await Promise.all(names.map(async (name) => (await stat(join(subject.folder, name))).mode))
  const octal = modes.map((mode) => mode.toString(8))
  expect(octal).toContain('100600')
  expect(octal.filter((mode) => mode !== '100600' && mode !== '40700')).toEqual([])
})

describe('a search', () => {
  it('requests more hits when most of the hits are unknown here', async () => {
    const strangers = new Map(
      Array.from({ length: 2000 }, (_, place) => [
        `stranger${place}`,
        { values: unit([1, place / 1e4, 0, 0, 0, 0, 0, 0]) },
      ]),
    )
    const file = makeFile('a.md', [{ quote: 'Far', vector: unit([0, 1, 0, 0, 0, 0, 0, 0]) }], { dimensions })
    await store.apply(adding(file), never)
    for (const [id, record] of strangers) subject.index.namespaces.get('test-first')?.set(id, record)
    expect(await store.searchVector(east, { limit: 3, filter: {} })).toMatchObject([{ id: file.chunks[0]?.id }])
    expect(await store.verify()).toEqual([expect.stringMatching(/2000 are unknown.*namespace/)])
  })

  it('returns the result of Pinecone, also when that lags behind', async () => {
    fake.add({ name: 'late', dimension: dimensions, lag: 3 })
    const late = subject.again({ indexName: 'late' })
    const opened = await late.open('first', { dimensions })
    const file = fileOf('a.md', 2)
    await opened.apply(adding(file), never)
    expect(await opened.searchVector(east, { limit: 5, filter: {} })).toEqual([])
    expect(await opened.vectorsOf(file.chunks.map(({ textHash }) => textHash))).toEqual(new Map())
    expect(await opened.searchVector(east, { limit: 5, filter: {} })).toHaveLength(2)
    expect(await opened.verify()).toEqual([])
  })

  it('reports the failure, and stops with the space', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    fake.fail({ of: 'query', status: 503, times: 3 })
    const search = () => store.searchVector(east, { limit: 5, filter: {} })
    await expect(search()).rejects.toMatchObject({ code: 'overloaded' })
    expect(await store.searchText('honey', { limit: 5, filter: {} })).toHaveLength(2)
    fake.onRequest = () => new Promise(() => {})
    const hanging = search()
    hanging.catch(() => {})
    await space.close()
    await expect(hanging).rejects.toMatchObject({ code: 'aborted' })
  })

  it('waits for Pinecone only for a while, also where it opens the index', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    fake.onRequest = () => new Promise(() => {})
    const silent = await subject.again({}, { searchWithinMs: 50 }).open('first', { dimensions })
    expect(await silent.searchText('honey', { limit: 5, filter: {} })).toHaveLength(2)
    await expect(silent.searchVector(east, { limit: 5, filter: {} })).rejects.toMatchObject({
      ...{ code: 'timeout', message: 'Pinecone did not answer within 0.05 seconds.' },
    })
  })

  it('does not wait as long as Pinecone asks where that is too long for a user', async () => {
    space = subject.again({}, { searchWithinMs: 500 })
    store = await space.open('first', { dimensions })
    await store.apply(adding(fileOf('a.md', 2)), never)
    fake.fail({ of: 'query', status: 429, headers: { 'retry-after': '60' } })
    await expect(store.searchVector(east, { limit: 5, filter: {} })).rejects.toMatchObject({ code: 'timeout' })
  })

  it('uses words only when it was opened without dimensions', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    fake.requests.length = 0
    const other = subject.again()
    const words = await other.open('first', {})
    expect(await words.searchText('honey', { limit: 5, filter: {} })).toHaveLength(2)
    expect(await words.searchVector(east, { limit: 5, filter: {} })).toEqual([])
    expect((await words.sample(2)).map(({ vector }) => vector)).toEqual([undefined, undefined])
    expect(fake.requests).toEqual([])
  })
})

describe('the Pinecone index', () => {
  it('may be unreachable while words are searched, and is tried again', async () => {
    const file = fileOf('a.md', 2)
    await store.apply(adding(file), never)
    fake.fail({ of: 'describe', status: 503 })
    const other = subject.again()
    const opened = await other.open('first', { dimensions })
    expect(await opened.searchText('honey', { limit: 5, filter: {} })).toHaveLength(2)
    expect(await opened.searchVector(east, { limit: 5, filter: {} })).toHaveLength(2)
  })

  it('with another length of vectors is refused for new data; existing data serves by its words', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    fake.add({ name: 'docs', dimension: 16 })
    const other = subject.again()
    await expect(other.open('second', { dimensions })).rejects.toMatchObject({ code: 'invalid-config' })
    const old = await other.open('first', { dimensions })
    expect(await old.searchText('honey', { limit: 5, filter: {} })).toHaveLength(2)
    await expect(old.searchVector(east, { limit: 5, filter: {} })).rejects.toMatchObject({ code: 'invalid-config' })
    await expect(old.apply(adding(fileOf('b.md', 2)), never)).rejects.toMatchObject({ code: 'invalid-config' })
    expect(await old.verify()).toEqual([expect.stringMatching(/could not be counted.*16 dimensions/)])
  })

  it('that was deleted is created again, with all vectors', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    await space.close()
    fake.indexes.delete('docs')
    space = subject.again()
    await expect(space.open('first', { dimensions })).rejects.toMatchObject({ code: 'not-found' })
    await space.close()

    space = subject.again({ create: true })
    store = await space.open('first', { dimensions })
    expect(await store.files()).toEqual([])
    expect(fake.requestsOf('create')).toEqual([])
    const file = fileOf('a.md', 2)
    await store.apply(adding(file), never)
    expect(fake.indexes.get('docs')).toMatchObject({ dimension: dimensions, metric: 'cosine' })
    expect(await store.vectorsOf(file.chunks.map(({ textHash }) => textHash))).toHaveProperty('size', 2)
    expect(await store.verify()).toEqual([])
  })

  it('that is deleted meanwhile is named, and created again by the next sync of the same process', async () => {
    space = subject.again({ create: true })
    store = await space.open('first', { dimensions })
    const file = fileOf('a.md', 2)
    await store.apply(adding(file), never)
    await store.repair?.(never)
    fake.indexes.delete('docs')
    const gone = { code: 'not-found', message: 'Pinecone has no index "docs". The next sync makes it.' }
    await expect(store.apply(adding(fileOf('b.md', 1)), never)).rejects.toMatchObject(gone)
    await expect(store.searchVector(east, { limit: 5, filter: {} })).rejects.toMatchObject(gone)
    expect(fake.requestsOf('create')).toEqual([])

    // The hash that is gone makes the sync read the file again.
    await store.repair?.(never)
    expect(await store.files()).toMatchObject([{ file: 'a.md', hash: '' }])
    await store.apply(adding(file), never)
    expect(await store.searchVector(east, { limit: 5, filter: {} })).toHaveLength(2)
    expect(await store.verify()).toEqual([])
    expect(fake.requestsOf('create')).toHaveLength(1)
  })

  it('that is deleted meanwhile and not created says what to do, until it is there again', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    fake.indexes.delete('docs')
    const message = expect.stringMatching(/has no index "docs".*create: true/)
    await expect(store.searchVector(east, { limit: 5, filter: {} })).rejects.toMatchObject({ message })
    await expect(store.repair?.(never)).rejects.toMatchObject({ message })
    expect(await store.files()).not.toMatchObject([{ hash: '' }])
    fake.add({ name: 'docs', dimension: dimensions })
    await store.repair?.(never)
    expect(await store.files()).toMatchObject([{ file: 'a.md', hash: '' }])
  })

  it('that lost vectors is reported', async () => {
    await store.apply(adding(fileOf('a.md', 3)), never)
    subject.index.namespaces.get('test-first')?.delete(subject.idsThere()[0] ?? '')
    expect(await store.verify()).toEqual([expect.stringMatching(/Pinecone has 2 vectors.*sent 3.*lacks 1.*Sync again/)])
  })

  it('is another space under another name', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    const other = subject.again({ namespace: 'elsewhere' })
    expect(await other.generations()).toEqual([])
  })
})

describe('a dropped generation', () => {
  it('leaves nothing in the cloud', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    const second = await space.open('second', { dimensions })
    await second.apply(adding(fileOf('b.md', 1)), never)
    await store.close()
    await space.drop('first')
    expect([...subject.index.namespaces.keys()]).toEqual(['test-second'])
  })

  it('sends no request when nothing was sent to the cloud for it', async () => {
    await store.close()
    fake.requests.length = 0
    await space.drop('first')
    expect(fake.requests).toEqual([])
  })

  it.each([
    ['by the next maintain', async () => (await space.open('second', { dimensions })).maintain(never)],
    ['before it is opened again', async () => void (await space.open('first', { dimensions }))],
  ])('that the cloud would not remove is removed %s', async (_when, act) => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    await store.close()
    fake.fail({ of: 'delete', status: 503, times: 99 })
    await space.drop('first')
    expect(await space.generations()).not.toContain('first')
    expect(subject.idsThere()).toHaveLength(2)
    fake.recover()
    await act()
    expect(subject.idsThere()).toEqual([])
  })
})
