import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type CloudUnderTest,
  cloudUnderTest,
  dimensions,
  fileOf,
  idsOf,
  nearest,
} from '../../__fixtures__/cloud-test-space.ts'
import type { FakePinecone } from '../../__fixtures__/fake-pinecone-types.ts'
import { adding, makeFile, never } from '../../__fixtures__/make-file.ts'
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

describe('a change', () => {
  it('sends vectors with the fields of filters, and no text', async () => {
    await store.apply(adding(makeFile('docs/deep/a.md', ['Secret words'], { dimensions })), never)
    const { body } = fake.requestsOf('upsert')[0] ?? {}
    expect(body).toMatchObject({
      namespace: 'test-first',
      vectors: [{ metadata: { file: 'docs/deep/a.md', ext: '.md' } }],
    })
    expect(JSON.stringify(fake.requests)).not.toContain('Secret')
  })

  it('sends only new vectors, and removes only those that are no longer used', async () => {
    await store.apply(adding(makeFile('a.md', ['One', 'Two'], { dimensions })), never)
    fake.requests.length = 0
    const next = makeFile('a.md', ['Two', 'Three'], { dimensions })
    await store.apply(adding(next), never)
    expect(fake.requestsOf('upsert').map(({ body }) => body)).toMatchObject([{ vectors: [{ id: next.chunks[1]?.id }] }])
    expect(fake.requestsOf('delete').map(({ body }) => (body as { ids: string[] }).ids.length)).toEqual([1])
    expect(subject.idsThere()).toEqual(idsOf(next))
  })

  it('of a record only sends no request', async () => {
    const { record } = makeFile('a.md', ['One'], { dimensions })
    fake.requests.length = 0
    await store.apply(adding({ record: { ...record, chunks: 0 }, chunks: [] }), never)
    await store.apply(adding({ record, chunks: 'keep' }), never)
    expect(fake.requests).toEqual([])
  })

  it('omits zero vectors, for which Pinecone would refuse the whole batch', async () => {
    const file = makeFile('a.md', ['One', { quote: 'Two', vector: new Float32Array(dimensions) }], { dimensions })
    await store.apply(adding(file), never)
    expect(subject.idsThere()).toEqual([file.chunks[0]?.id])
    expect(await store.verify()).toEqual([])
    expect(await store.searchVector(new Float32Array(dimensions), { limit: 5, filter: {} })).toEqual([])
  })

  it.each([
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
    ['503', { status: 503 }],
    ['a broken connection', { reset: true as const }],
    ['a batch that is stored in part', { status: 503, after: 3 }],
  ])('comes through %s', async (_what, failure) => {
    fake.fail({ of: 'upsert', times: 2, ...failure })
    fake.fail({ of: 'delete', ...failure })
    await store.apply(adding(fileOf('a.md', 8)), never)
    const next = fileOf('a.md', 4)
    await store.apply(adding(next), never)
    expect(subject.idsThere()).toEqual(idsOf(next))
    expect(await store.verify()).toEqual([])
  })

  it.each([
    ['refused', { status: 400 }],
    ['failing for long', { status: 503, times: 99 }],
    ['stored in part and then failing', { status: 503, times: 99, after: 3 }],
  ])('is not made when it is %s; what was sent is removed by the next', async (_what, failure) => {
    const before = fileOf('a.md', 2)
    await store.apply(adding(before), never)
    fake.fail({ of: 'upsert', ...failure })
    await expect(store.apply(adding(fileOf('a.md', 8, 'Wax')), never)).rejects.toMatchObject({ provider: 'pinecone' })
    expect(await store.chunksOf('a.md')).toHaveLength(2)
    expect(await nearest(store, before.chunks[1])).toEqual([before.chunks[1]?.id])

    fake.recover()
    const other = fileOf('b.md', 1)
    await store.apply(adding(other), never)
    expect(subject.idsThere()).toEqual(idsOf(before, other))
    expect(await store.verify()).toEqual([])
  })

  it('is completed by a retry', async () => {
    const file = fileOf('a.md', 8)
    fake.fail({ of: 'upsert', status: 503, times: 3, after: 3 })
    await expect(store.apply(adding(file), never)).rejects.toMatchObject({ code: 'overloaded' })
    await store.apply(adding(file), never)
    expect(subject.idsThere()).toEqual(idsOf(file))
  })

  it('that was refused before any write leaves nothing to clean up', async () => {
    fake.fail({ of: 'upsert', status: 400 })
    await expect(store.apply(adding(fileOf('a.md', 2)), never)).rejects.toMatchObject({ code: 'bad-request' })
    await store.maintain(never)
    expect(fake.requestsOf('delete')).toHaveLength(1)
    await store.maintain(never)
    expect(fake.requestsOf('delete')).toHaveLength(1)
  })

  it('that is interrupted between cloud and disk is cleaned up by the next one', async () => {
    const before = fileOf('a.md', 2)
    await store.apply(adding(before), never)
    const stop = new AbortController()
    fake.onRequest = (operation) => {
      // The response still arrives, and then nothing is written here.
      if (operation === 'upsert') setImmediate(() => stop.abort())
    }
    await expect(store.apply(adding(fileOf('a.md', 900, 'Wax')), stop.signal)).rejects.toMatchObject({
      code: 'aborted',
    })
    fake.onRequest = undefined
    await space.close()

    space = subject.again()
    store = await space.open('first', { dimensions })
    expect(await store.chunksOf('a.md')).toHaveLength(2)
    await store.maintain(never)
    expect(subject.idsThere()).toEqual(idsOf(before))
  })

  it('completes even when old vectors cannot be removed; searches ignore them until they are', async () => {
    const before = fileOf('a.md', 3)
    await store.apply(adding(before), never)
    fake.fail({ of: 'delete', status: 503, times: 99 })
    const after = fileOf('a.md', 2, 'Wax')
    await store.apply(adding(after), never)
    expect(subject.idsThere()).toEqual(idsOf(before, after))
    expect((await nearest(store, before.chunks[0], 2)).sort()).toEqual(idsOf(after))
    expect(fake.requestsOf('query')).toHaveLength(1)
    expect(await store.verify()).toEqual([])
    await expect(store.maintain(never)).rejects.toMatchObject({ code: 'overloaded' })
    fake.recover()
    await store.maintain(never)
    expect(subject.idsThere()).toEqual(idsOf(after))
  })

  it('removes old vectors also where Pinecone does not show their namespace yet', async () => {
    const { namespaces } = fake.add({ name: 'late', dimension: dimensions, lag: 2 })
    store = await subject.again({ indexName: 'late' }).open('first', { dimensions })
    await store.apply(adding(fileOf('a.md', 3)), never)
    const after = fileOf('a.md', 2, 'Wax')
    await store.apply(adding(after), never)
    expect(namespaces.size).toBe(0)
    expect(await store.verify()).toEqual([])
    await store.maintain(never)
    expect(await store.verify()).toEqual([])
    expect([...(namespaces.get('test-first')?.keys() ?? [])].sort()).toEqual(idsOf(after))
  })

  it('of a namespace that was emptied leaves nothing to remove', async () => {
    await store.apply(adding(fileOf('a.md', 2)), never)
    expect(await store.verify()).toEqual([])
    subject.index.namespaces.clear()
    await store.apply({ changed: [], removed: ['a.md'] }, never)
    const { length } = fake.requests
    await store.maintain(never)
    expect(fake.requests).toHaveLength(length)
  })

  it('restores vectors that were scheduled for removal', async () => {
    const before = fileOf('a.md', 2)
    await store.apply(adding(before), never)
    fake.fail({ of: 'delete', status: 503, times: 99 })
    await store.apply({ changed: [], removed: ['a.md'] }, never)
    fake.recover()
    await store.apply(adding(before), never)
    await store.maintain(never)
    expect(subject.idsThere()).toEqual(idsOf(before))
  })

  it('keeps each request within the limits of Pinecone', async () => {
    fake.add({ name: 'large', dimension: 1536 })
    const large = subject.again({ indexName: 'large' })
    const file = makeFile(
      'a.md',
      Array.from({ length: 120 }, (_, place) => `Honey ${place}`),
      { dimensions: 1536 },
    )
    const opened = await large.open('first', { dimensions: 1536 })
    await opened.apply(adding(file), never)
    expect(fake.requestsOf('upsert').length).toBe(5)
    const vectors = await opened.vectorsOf(file.chunks.map(({ textHash }) => textHash))
    expect(vectors).toEqual(new Map(file.chunks.map(({ textHash, vector }) => [textHash, vector])))
    expect(fake.requestsOf('fetch').every(({ url }) => url.length < 4000)).toBe(true)
  })
})
