import type { CloudOptions } from '@agentkit/core/internal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakePinecone } from '../../__fixtures__/fake-pinecone.ts'
import type { FakePinecone } from '../../__fixtures__/fake-pinecone-types.ts'
import { never } from '../../__fixtures__/make-file.ts'
import { createPineconeClient } from './pinecone-client.ts'
import { createPineconeIndex, type PineconeIndex } from './pinecone-index.ts'
import { type CloudTool, pineconeSettings } from './pinecone-settings.ts'

let fake: FakePinecone
beforeEach(async () => {
  fake = await fakePinecone()
})
afterEach(() => fake.close())

function indexOf(
  options: CloudOptions = {},
  tool: CloudTool = 'cloudindex-serverless',
  readyWithinMs = 5000,
): PineconeIndex {
  const access = { apiKey: fake.apiKey, controllerHostUrl: fake.url }
  const client = createPineconeClient({ ...access, retry: { attempts: 3, firstWaitMs: 1 } })
  const settings = pineconeSettings(tool, '/index', { ...access, indexName: 'docs', ...options })
  return createPineconeIndex(client, settings, { pollMs: 1, readyWithinMs })
}

describe('an existing index', () => {
  it.each([
    ['serverless', 'cloudindex-serverless', {}],
    ['of pods', 'cloudindex-pod', { pod: true }],
    ['serverless, where one of pods was expected', 'cloudindex-pod', {}],
    ['of another metric', 'cloudindex-serverless', { metric: 'euclidean' as const }],
  ] as const)('is used: %s', async (_what, tool, kind) => {
    const { host, metric } = fake.add({ name: 'docs', dimension: 8, ...kind })
    const index = indexOf({ create: true }, tool)
    expect(await index.look(8, never)).toBe('there')
    expect(await index.connect(8, never)).toEqual({ host, metric, dimension: 8 })
    expect(fake.requestsOf('create')).toEqual([])
  })

  it('with other dimensions is refused with both numbers and the fix', async () => {
    fake.add({ name: 'docs', dimension: 1536 })
    const refusal = { code: 'invalid-config', message: expect.stringMatching(/"docs".*1536.*256.*indexName/) }
    await expect(indexOf().look(256, never)).rejects.toMatchObject(refusal)
    await expect(indexOf({ create: true }).connect(256, never)).rejects.toMatchObject(refusal)
  })

  it('with an embedding model of Pinecone is refused', async () => {
    fake.add({ name: 'docs', dimension: 8, semantic: true })
    await expect(indexOf().look(8, never)).rejects.toMatchObject({ code: 'invalid-config' })
  })

  it('that is not ready yet is awaited, within a limit', async () => {
    fake.add({ name: 'docs', dimension: 8, state: 'Initializing' }).looksUntilReady = 3
    expect(await indexOf().look(8, never)).toBe('there')
    expect(await indexOf().connect(8, never)).toMatchObject({ dimension: 8 })

    fake.add({ name: 'slow', dimension: 8, state: 'Initializing' }).looksUntilReady = 1e9
    const late = indexOf({ indexName: 'slow' }, 'cloudindex-serverless', 20).connect(8, never)
    await expect(late).rejects.toThrow(/"slow".*not ready/)
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 20)
    await expect(indexOf({ indexName: 'slow' }).connect(8, stop.signal)).rejects.toMatchObject({ code: 'aborted' })
  })

  it('that is being deleted is refused at once', async () => {
    fake.add({ name: 'docs', dimension: 8, state: 'Terminating' })
    await expect(indexOf({ create: true }).connect(8, never)).rejects.toThrow(/Terminating/)
  })
})

describe('a missing index', () => {
  it('is an error that names it, the existing index, and the fix', async () => {
    fake.add({ name: 'other', dimension: 8 })
    const error = { code: 'not-found', message: expect.stringMatching(/"docs".*There are: other\..*create: true/) }
    await expect(indexOf().look(8, never)).rejects.toMatchObject(error)
    await expect(indexOf().connect(8, never)).rejects.toMatchObject(error)
    fake.fail({ of: 'list', status: 500 })
    await expect(indexOf().connect(8, never)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('is created on request', async () => {
    fake.looksUntilReady = 2
    const index = indexOf({ create: true, cloud: 'gcp', region: 'europe-west4' })
    expect(await index.look(8, never)).toBe('absent')
    expect(fake.requestsOf('create')).toEqual([])
    expect(await index.connect(8, never)).toMatchObject({ metric: 'cosine', dimension: 8 })
    expect(fake.requestsOf('create')[0]?.body).toEqual({
      name: 'docs',
      schema: { fields: { _values: { type: 'dense_vector', dimension: 8, metric: 'cosine' } } },
      deployment: { deployment_type: 'managed', cloud: 'gcp', region: 'europe-west4' },
    })
  })

  it('is not created to clean up dropped generations', async () => {
    await expect(indexOf({ create: true }).connect(undefined, never)).rejects.toMatchObject({ code: 'not-found' })
    expect(fake.requestsOf('create')).toEqual([])
  })

  it('may be created by another process meanwhile', async () => {
    fake.onRequest = (operation) => {
      if (operation === 'create') fake.add({ name: 'docs', dimension: 8 })
    }
    expect(await indexOf({ create: true }).connect(8, never)).toMatchObject({ dimension: 8 })
  })

  it('is created once, even when the response is lost', async () => {
    fake.fail({ of: 'create', status: 503 })
    expect(await indexOf({ create: true }).connect(8, never)).toMatchObject({ dimension: 8 })
    expect([...fake.indexes.keys()]).toEqual(['docs'])
  })

  it('is never created with pods', async () => {
    const error = { code: 'unsupported', message: expect.stringContaining('cloudindex-serverless') }
    await expect(indexOf({ create: true }, 'cloudindex-pod').look(8, never)).rejects.toMatchObject(error)
    await expect(indexOf({ create: true }, 'cloudindex-pod').connect(8, never)).rejects.toMatchObject(error)
    await expect(indexOf({}, 'cloudindex-pod').look(8, never)).rejects.toMatchObject({ code: 'not-found' })
    expect(fake.requestsOf('create')).toEqual([])
  })
})
