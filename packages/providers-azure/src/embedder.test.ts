import { describe, expect, it } from 'vitest'
import { apiKey, endpoint, fakeFetch } from './__fixtures__/fake-fetch.ts'
import { azure } from './provider.ts'

const { signal } = new AbortController()
const vectors = JSON.stringify({
  data: [
    { index: 1, embedding: [3, 4] },
    { index: 0, embedding: [1, 2] },
  ],
})
const asJSON = { headers: { 'content-type': 'application/json' } }

describe('an embedder on Azure', () => {
  it.each([
    [{}, '/openai/deployments/small/embeddings?api-version=2025-04-01-preview'],
    [{ v1: true }, '/openai/v1/embeddings'],
  ])('turns texts into vectors, asking for numbers (Q31): %o', async (options, path) => {
    const { fetch, sent } = fakeFetch(vectors, asJSON)
    const embedder = azure({ endpoint, apiKey, fetch, ...options }).embedder('small', { dimensions: 2 })
    expect(embedder).toMatchObject({ id: 'azure/small', dimensions: 2 })
    expect(await embedder.embed(['a', 'b'], signal)).toEqual([Float32Array.of(1, 2), Float32Array.of(3, 4)])
    expect(sent).toMatchObject([
      {
        url: `${endpoint}${path}`,
        body: { model: 'small', input: ['a', 'b'], encoding_format: 'float', dimensions: 2 },
      },
    ])
    expect(sent[0]?.headers.get('api-key')).toBe(apiKey)
  })

  it('fails as a model does', async () => {
    const errorBody = { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' } }
    const { fetch } = fakeFetch(JSON.stringify(errorBody), { status: 404, ...asJSON })
    const embedding = azure({ endpoint, apiKey, fetch }).embedder('small').embed(['a'], signal)
    await expect(embedding).rejects.toMatchObject({ code: 'model-not-found', provider: 'azure', model: 'small' })
  })

  it('fails with `malformed-stream` on an answer that is not an object', async () => {
    const { fetch } = fakeFetch('null', asJSON)
    const embedding = azure({ endpoint, apiKey, fetch }).embedder('small').embed(['a'], signal)
    await expect(embedding).rejects.toMatchObject({ code: 'malformed-stream', provider: 'azure' })
  })
})
