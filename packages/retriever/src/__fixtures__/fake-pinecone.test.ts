import { Errors, Pinecone } from '@pinecone-database/pinecone'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakePinecone } from './fake-pinecone.ts'
import type { FakePinecone } from './fake-pinecone-types.ts'

// The official SDK, as anybody uses it, must not notice that it talks to the fake.
let fake: FakePinecone
let pinecone: Pinecone
beforeEach(async () => {
  fake = await fakePinecone()
  pinecone = new Pinecone({ apiKey: fake.apiKey, controllerHostUrl: fake.url })
})
afterEach(() => fake.close())

const records = (count: number, dimension = 4) =>
  Array.from({ length: count }, (_, place) => ({
    id: `id${place}`,
    values: Array.from({ length: dimension }, (_value, axis) => (axis === place % dimension ? 1 : 0.25)),
    metadata: { file: `f${place}.md`, folders: ['a', 'b'] },
  }))

describe('the control plane', () => {
  it('makes, shows, lists and deletes indexes in the shapes that the SDK reads', async () => {
    fake.looksUntilReady = 1
    const made = await pinecone.indexes.create({
      name: 'made',
      schema: { fields: { _values: { type: 'dense_vector', dimension: 4, metric: 'cosine' } } },
      deployment: { deploymentType: 'managed', cloud: 'aws', region: 'us-east-1' },
    })
    expect(made).toMatchObject({ name: 'made', dimension: 4, metric: 'cosine', status: { ready: false, state: 'Initializing' } })
    expect((await pinecone.indexes.describe('made')).status.ready).toBe(false)
    const ready = await pinecone.indexes.describe('made')
    expect(ready).toMatchObject({ status: { ready: true }, vectorType: 'dense', spec: { serverless: { cloud: 'aws' } } })
    expect((await pinecone.indexes.list()).indexes?.map(({ name }) => name)).toEqual(['made'])
    await pinecone.indexes.delete('made')
    await expect(pinecone.indexes.describe('made')).rejects.toBeInstanceOf(Errors.PineconeNotFoundError)
  })

  it('makes classic indexes too, and shows those of pods', async () => {
    await pinecone.indexes.create({ name: 'classic', dimension: 8, metric: 'dotproduct', spec: { serverless: { cloud: 'aws', region: 'us-east-1' } } })
    expect(await pinecone.indexes.describe('classic')).toMatchObject({ dimension: 8, metric: 'dotproduct' })
    fake.add({ name: 'pods', dimension: 3, pod: true })
    expect((await pinecone.indexes.describe('pods')).spec).toMatchObject({ pod: { podType: 'p1.x1' } })
  })

  it('refuses a name that is taken, a bad one, and a wrong key', async () => {
    fake.add({ name: 'taken', dimension: 4 })
    const schema = { fields: { _values: { type: 'dense_vector', dimension: 4, metric: 'cosine' } } } as const
    const deployment = { deploymentType: 'managed', cloud: 'aws', region: 'us-east-1' } as const
    await expect(pinecone.indexes.create({ name: 'taken', schema, deployment })).rejects.toBeInstanceOf(Errors.PineconeConflictError)
    await expect(pinecone.indexes.create({ name: 'Bad Name', schema, deployment })).rejects.toBeInstanceOf(Errors.PineconeBadRequestError)
    const stranger = new Pinecone({ apiKey: 'other', controllerHostUrl: fake.url })
    await expect(stranger.indexes.list()).rejects.toBeInstanceOf(Errors.PineconeAuthorizationError)
  })
})

describe('the data plane', () => {
  const open = (options = {}) => {
    const { host } = fake.add({ name: 'docs', dimension: 4, ...options })
    return pinecone.index({ host, namespace: 'here' })
  }

  it('stores, fetches, finds, counts and deletes records of a namespace', async () => {
    const index = open()
    await index.upsert({ records: records(6) })
    const { records: fetched } = await index.fetch({ ids: ['id2', 'unknown'] })
    expect(fetched).toEqual({ id2: records(3)[2] })

    const vector = [1, 0.25, 0.25, 0.25]
    const { matches } = await index.query({ vector, topK: 3, includeMetadata: true })
    expect(matches.map(({ id }) => id)).toEqual(['id0', 'id4', 'id1'])
    expect(matches[0]).toMatchObject({ score: expect.closeTo(1, 5), metadata: { file: 'f0.md' } })
    const filter = { $and: [{ file: { $in: ['f1.md', 'f2.md'] } }, { folders: { $in: ['b'] } }] }
    expect((await index.query({ vector, topK: 9, filter })).matches.map(({ id }) => id)).toEqual(['id1', 'id2'])
    expect((await index.namespace('elsewhere').query({ vector, topK: 3 })).matches).toEqual([])

    expect(await index.describeIndexStats()).toMatchObject({ namespaces: { here: { recordCount: 6 } }, totalRecordCount: 6 })
    await index.deleteMany({ ids: ['id0', 'id1'] })
    expect((await index.listPaginated()).vectors?.map(({ id }) => id)).toEqual(['id2', 'id3', 'id4', 'id5'])
    await index.deleteAll()
    expect((await index.describeIndexStats()).namespaces).toEqual({})
  })

  it.each([
    ['another length', () => records(1, 3), /dimension 3 does not match the dimension of the index 4/],
    ['too many', () => records(1001), /Max 1000/],
    ['only zeros', () => [{ id: 'zero', values: [0, 0, 0, 0] }], /at least one non-zero value/],
    ['too much metadata', () => [{ id: 'big', values: [1, 0, 0, 0], metadata: { text: 'x'.repeat(41_000) } }], /40960 bytes/],
  ])('refuses records of %s', async (_what, make, message) => {
    const refused = open().upsert({ records: make() })
    await expect(refused).rejects.toBeInstanceOf(Errors.PineconeBadRequestError)
    await expect(refused).rejects.toThrow(message)
  })

  it('refuses more than 2 MB', async () => {
    const index = open({ dimension: 1536 })
    const full = Array.from({ length: 1536 }, (_, axis) => Math.sin(axis + 1))
    await expect(index.upsert({ records: Array.from({ length: 100 }, (_, place) => ({ id: `${place}`, values: full })) })).rejects.toThrow(
      /message length too large/,
    )
  })

  it('refuses to delete from a namespace that is not there, and to list the ids of pods', async () => {
    await expect(open().deleteMany({ ids: ['a'] })).rejects.toBeInstanceOf(Errors.PineconeNotFoundError)
    await expect(open({ name: 'pods', pod: true }).listPaginated()).rejects.toThrow(/not supported for pod/)
  })

  it('answers an ids too many, a topK too large, and an address too long', async () => {
    const index = open()
    await expect(index.query({ vector: [1, 0, 0, 0], topK: 10_001 })).rejects.toThrow(/10000/)
    await expect(index.deleteMany({ ids: Array.from({ length: 1001 }, String) })).rejects.toThrow(/Max 1000/)
    const ids = Array.from({ length: 400 }, (_, place) => `${place}`.padStart(24, '0'))
    await expect(index.fetch({ ids })).rejects.toThrow(/414/)
  })

  it('shows written vectors only later, if it is set to lag', async () => {
    const index = open({ lag: 2 })
    await index.upsert({ records: records(1) })
    const counts = []
    for (let look = 0; look < 3; look++) counts.push((await index.describeIndexStats()).totalRecordCount)
    expect(counts).toEqual([0, 1, 1])
  })
})

describe('failures', () => {
  it('of 429 reach the caller at once, as the SDK repeats none of them', async () => {
    fake.fail({ of: 'list', status: 429, headers: { 'retry-after': '1' } })
    await expect(pinecone.indexes.list()).rejects.toBeInstanceOf(Errors.PineconeUnmappedHttpError)
    expect(fake.requestsOf('list')).toHaveLength(1)
  })

  it('of 503 are repeated by the SDK', async () => {
    fake.fail({ of: 'list', status: 503 })
    await expect(pinecone.indexes.list()).resolves.toBeDefined()
    expect(fake.requestsOf('list')).toHaveLength(2)
  })

  it('of the connection reach the caller', async () => {
    fake.fail({ reset: true })
    await expect(pinecone.indexes.list()).rejects.toBeInstanceOf(Errors.PineconeConnectionError)
  })

  it('in the middle of a batch leave the records before it', async () => {
    const { host, namespaces } = fake.add({ name: 'docs', dimension: 4 })
    fake.fail({ of: 'upsert', status: 429, after: 2 })
    const index = pinecone.index({ host, namespace: 'here' })
    await expect(index.upsert({ records: records(6) })).rejects.toThrow()
    expect(namespaces.get('here')?.size).toBe(2)
  })
})
