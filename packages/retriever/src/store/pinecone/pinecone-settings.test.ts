import { afterEach, expect, it, vi } from 'vitest'
import { checkCloudEmbedder, localName, pineconeSettings } from './pinecone-settings.ts'

afterEach(() => vi.unstubAllEnvs())

it('reads the key and the controller from the environment, and has defaults for the rest', () => {
  vi.stubEnv('PINECONE_API_KEY', 'key-of-the-environment')
  vi.stubEnv('PINECONE_CONTROLLER_HOST', 'http://127.0.0.1:5080')
  expect(pineconeSettings('cloudindex-serverless', '/srv/index')).toEqual({
    tool: 'cloudindex-serverless',
    apiKey: 'key-of-the-environment',
    controllerHostUrl: 'http://127.0.0.1:5080',
    indexName: 'agentkit',
    namespace: expect.stringMatching(/^agentkit-[0-9a-f]{8}$/),
    cloud: 'aws',
    region: 'us-east-1',
    create: false,
  })
  expect(pineconeSettings('cloudindex-pod', '/srv/index', { apiKey: 'mine', indexName: 'docs' })).toMatchObject({
    apiKey: 'mine',
    indexName: 'docs',
  })
})

it('names the variable of a missing key', () => {
  vi.stubEnv('PINECONE_API_KEY', '')
  const settle = () => pineconeSettings('cloudindex-serverless', '/srv/index')
  expect(settle).toThrow(
    expect.objectContaining({ code: 'missing-key', message: expect.stringContaining('PINECONE_API_KEY') }),
  )
})

it('separates projects that share an index, and two indexes of one project', () => {
  const settle = (folder: string, cloud = {}) =>
    pineconeSettings('cloudindex-serverless', folder, { apiKey: 'key', ...cloud })
  expect(settle('/one/index').namespace).not.toBe(settle('/other/index').namespace)
  expect(settle('/one/index', { namespace: 'ours' }).namespace).toBe('ours')
  const names = [{}, { indexName: 'b' }, { namespace: 'b' }, { controllerHostUrl: 'http://b' }].map((cloud) =>
    localName(settle('/one', cloud)),
  )
  expect(new Set(names).size).toBe(4)
})

it('requires an embedder', () => {
  expect(() => checkCloudEmbedder('cloudindex-pod', undefined)).toThrow(
    expect.objectContaining({ code: 'invalid-config' }),
  )
  expect(() => checkCloudEmbedder('cloudindex-pod', 256)).not.toThrow()
})
