import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { countingEmbedder } from './__fixtures__/counting-embedder.ts'
import { checkRetrieverOptions, type RetrieverOptions } from './options.ts'

beforeEach(() => {
  vi.stubEnv('PINECONE_API_KEY', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

it('applies defaults', () => {
  expect(checkRetrieverOptions()).toEqual({
    folder: 'agentkit-data/files/user',
    indexPath: 'agentkit-data/index',
    tool: 'basic',
    exts: new Set(['.md', '.mdx', '.txt', '.csv', '.docx', '.pdf']),
    isNarrowed: false,
    maxFileBytes: 200_000_000,
    parsing: { memoryMb: 512, cpuSeconds: 60, processes: expect.any(Number), firstAnswerSeconds: 60 },
    cloud: {},
  })
})

it.each([[['.md', 'PDF']], [['md', '.Pdf', '.pdf']]])('accepts extensions in any spelling: %j', (requiredExts) => {
  expect(checkRetrieverOptions({ requiredExts })).toMatchObject({ exts: new Set(['.md', '.pdf']), isNarrowed: true })
})

it('accepts a remote index for LanceDB', () => {
  const options = { retrievalTool: 'localstore', indexPath: 's3://bucket/index' } as const
  expect(checkRetrieverOptions(options)).toMatchObject({ tool: 'localstore', indexPath: 's3://bucket/index' })
})

it('accepts an index inside of the folder, or beside it', () => {
  expect(checkRetrieverOptions({ folder: '.', indexPath: 'data' })).toMatchObject({ indexPath: 'data' })
  expect(checkRetrieverOptions({ folder: 'docs', indexPath: 'doc' })).toMatchObject({ indexPath: 'doc' })
})

it('accepts a cloud index with a key and an embedder', () => {
  const options = { retrievalTool: 'cloudindex-pod', embedder: countingEmbedder(), cloud: { apiKey: 'k' } } as const
  expect(checkRetrieverOptions(options)).toMatchObject({ tool: 'cloudindex-pod' })
  vi.stubEnv('PINECONE_API_KEY', 'k')
  expect(checkRetrieverOptions({ ...options, cloud: {} })).toMatchObject({ tool: 'cloudindex-pod' })
})

describe('an error with the fix', () => {
  const embedder = countingEmbedder()
  // Values that JavaScript, or a TOML file, could pass.
  const wrong = (options: unknown): RetrieverOptions => options as RetrieverOptions
  const cases: [RetrieverOptions, string, string][] = [
    [wrong({ folders: 'docs' }), 'invalid-argument', 'no option "folders". There are: folder,'],
    [wrong('docs'), 'invalid-argument', '{ folder: "docs" }'],
    [{ folder: ' ' }, 'invalid-argument', '`folder`'],
    [wrong({ indexPath: 5 }), 'invalid-argument', '`indexPath`'],
    [
      wrong({ retrievalTool: 'lance' }),
      'invalid-argument',
      'no retrievalTool "lance". There are: basic, localstore, cloudindex-serverless, cloudindex-pod.',
    ],
    [{ requiredExts: ['.doc'] }, 'invalid-argument', '".doc", and such files cannot be read. These can: .csv, .docx,'],
    [{ requiredExts: [] }, 'invalid-argument', '.csv, .docx, .md, .mdx, .pdf, .txt'],
    [wrong({ requiredExts: '.md' }), 'invalid-argument', 'a list of extensions'],
    [{ maxFileBytes: 0 }, 'invalid-argument', '`maxFileBytes`'],
    [wrong({ parsing: 512 }), 'invalid-argument', '{ memoryMb: 256 }'],
    [
      wrong({ parsing: { memory: 1 } }),
      'invalid-argument',
      '`parsing` has no "memory". There are: memoryMb, cpuSeconds,',
    ],
    [{ parsing: { memoryMb: 64 } }, 'invalid-argument', '`parsing.memoryMb` is a number of MB, from 128 on, not 64.'],
    [{ parsing: { cpuSeconds: Number.NaN } }, 'invalid-argument', '`parsing.cpuSeconds` is a number of seconds'],
    [{ parsing: { processes: 1.5 } }, 'invalid-argument', '`parsing.processes` is a whole number from 1 to 64'],
    [
      { parsing: { firstAnswerSeconds: 0 } },
      'invalid-argument',
      '`parsing.firstAnswerSeconds` is a number of seconds, above 0',
    ],
    [wrong({ embedder: {} }), 'invalid-argument', '`embedder`'],
    [{ embedder: { ...embedder, dimensions: 1.5 } }, 'invalid-argument', '`dimensions` 1.5'],
    [wrong({ cloud: 'aws' }), 'invalid-argument', '`cloud`'],
    [wrong({ cloud: { creat: true } }), 'invalid-argument', '`cloud` has no "creat". There are: apiKey,'],
    [wrong({ cloud: { constructor: 'x' } }), 'invalid-argument', '`cloud` has no "constructor". There are: apiKey,'],
    [wrong({ cloud: { create: 'yes' } }), 'invalid-argument', '`cloud.create` is a boolean'],
    [wrong({ embedder: null }), 'invalid-argument', '`embedder`'],
    [{ indexPath: 's3://bucket/index' }, 'invalid-config', 'take `localstore`'],
    [{ folder: 'docs', indexPath: './docs/' }, 'invalid-config', '"docs" would be left out'],
    [{ folder: 'data/docs', indexPath: 'data' }, 'invalid-config', 'lie inside of the index, "data"'],
    [
      { folder: 'agentkit-data/index/docs', retrievalTool: 'localstore', indexPath: 's3://bucket/index' },
      'invalid-config',
      'lie inside of the index, "agentkit-data/index"',
    ],
    [{ retrievalTool: 'cloudindex-pod', cloud: { apiKey: 'k' } }, 'invalid-config', 'no embedder'],
    [{ retrievalTool: 'cloudindex-serverless', embedder }, 'missing-key', 'PINECONE_API_KEY'],
    [{ retrievalTool: 'cloudindex-serverless' }, 'missing-key', 'PINECONE_API_KEY'],
  ]
  it.each(cases)('for %j', (options, code, message) => {
    const check = (): unknown => checkRetrieverOptions(options)
    expect(check).toThrow(message)
    expect(check).toThrow(expect.objectContaining({ code }))
  })
})
