import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from '@agentkit/core'
import { createRetriever } from '@agentkit/retriever'
import { fakeProvider, scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Agent } from '../agents/agent.ts'
import type { AgentOptions } from '../agents/options.ts'
import { readableExts } from '../config/config-values.ts'
import { SDKContext } from '../config/sdk-context.ts'
import { keyVariables } from '../models/providers.ts'
import { requireRetriever } from '../util/import-optional.ts'
import { retrieverOptions } from './agent-knowledge.ts'

let folder = ''
let printed: string[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-knowledge-'))
  mkdirSync(join(folder, 'agentkit-data/files/user'), { recursive: true })
  write('holidays.md', '# Holidays\n\nEverybody has 30 days of holidays.\n')
  write('prices.csv', 'item,price\npen,3\n')
  vi.spyOn(process, 'cwd').mockReturnValue(folder)
  printed = []
  vi.spyOn(console, 'warn').mockImplementation((line) => void printed.push(String(line)))
  for (const variable of [...Object.values(keyVariables).flat(), 'OPENAI_BASE_URL', 'PINECONE_API_KEY']) {
    vi.stubEnv(variable, '')
  }
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function write(file: string, text: string): void {
  writeFileSync(join(folder, 'agentkit-data/files/user', file), text)
}

function config(toml: string): string {
  const path = join(folder, 'agentkit_config.toml')
  writeFileSync(path, toml)
  return path
}

/** The folders of this test: all tests share one working directory. */
function places(): { folder: string; indexPath: string } {
  return { folder: join(folder, 'agentkit-data/files/user'), indexPath: join(folder, 'agentkit-data/index') }
}

const callsSearch = (query: string) => ({ toolCalls: [{ name: 'search_files', input: { query } }] })

function docs(options: Partial<AgentOptions> = {}): Agent {
  const model = scriptedModel([callsSearch('days of holidays'), { text: '30 days.' }])
  return new Agent({ name: 'Docs', functions: [], model, sessions: ':memory:', ...options })
}

describe('an agent that retrieves', () => {
  it('answers from the files of the folder, and cites them', async () => {
    const agent = docs({ retrieve: true, retriever: places() })
    const { text, sources } = await agent.stream('How many days of holidays are there?').result
    expect(text).toBe('30 days.')
    expect(sources[0]).toMatchObject({ file: 'holidays.md', heading: 'Holidays' })
    expect(sources[0]?.quote).toContain('30 days')
    expect(await agent.knowledge?.files()).toEqual(['holidays.md', 'prices.csv'])
    await agent.close()
  })

  it('reports once that its folder has no files, with the whole path, for example in another working directory', async () => {
    const empty = join(folder, 'documents')
    const agent = docs({ retrieve: true, retriever: { ...places(), folder: empty } })
    await agent.stream('How many days of holidays are there?').result
    await agent.knowledge?.sync()
    expect(printed).toEqual([`agentkit: There are no files in ${empty}.`])
    await agent.close()
  })

  it('reads only the given extensions', async () => {
    const agent = docs({ retrieve: true, requiredExts: ['csv'], retriever: places() })
    expect((await agent.stream('Holidays?').result).sources).toEqual([])
    expect(await agent.knowledge?.files()).toEqual(['prices.csv'])
    await agent.close()
  })

  it('uses the configuration', async () => {
    const { folder: files, indexPath } = places()
    const configPath = config(
      `[docs]\nretrieve = true\nrequired_exts = [".csv"]\nretrieval_tool = "localstore"\n[retriever]\nfolder = ${JSON.stringify(files)}\nindex_path = ${JSON.stringify(indexPath)}\n`,
    )
    const agent = docs({ configPath })
    await agent.knowledge?.sync()
    expect(await agent.knowledge?.files()).toEqual(['prices.csv'])
    expect(agent.sdkContext.warnings).toEqual([])
    await agent.close()
    const other = docs({ configPath, retrieve: false })
    expect(other.knowledge).toBeUndefined()
    await other.close()
  })

  it('shares a retriever with agents of its context that have the same options', async () => {
    const sdkContext = new SDKContext()
    const [one, other, narrow] = [{}, {}, { requiredExts: ['.csv'] }].map((more) =>
      docs({ sdkContext, retrieve: true, retriever: places(), ...more }),
    )
    expect(one?.knowledge).toBe(other?.knowledge)
    expect(one?.knowledge).not.toBe(narrow?.knowledge)
    await sdkContext.close()
    await expect(one?.knowledge?.files()).rejects.toThrow('closed')
  })

  it('does not close a retriever that was passed', async () => {
    const retriever = createRetriever(places())
    const agent = docs({ retriever })
    expect(agent.knowledge).toBe(retriever)
    await agent.chat('Holidays?')
    await agent.close()
    expect(await retriever.files()).toHaveLength(2)
    await retriever.close()
  })

  it('reports files that cannot be read', async () => {
    write('old.doc', 'x')
    write('empty.txt', '')
    const agent = docs({ retrieve: true, retriever: places() })
    await agent.chat('Holidays?')
    expect(printed.join('\n')).toMatch(
      /empty\.txt cannot be read \(no-text\)[\s\S]*old\.doc cannot be read \(unsupported\)/,
    )
    await agent.close()
  })
})

describe('the embeddings of an agent', () => {
  it('are made by the embedder that is passed', async () => {
    const embedded: string[][] = []
    const embedder: Embedder = {
      id: 'test/own',
      dimensions: 2,
      async embed(texts) {
        embedded.push(texts)
        return texts.map(() => Float32Array.of(1, 0))
      },
    }
    const agent = docs({ retriever: { ...places(), embedder } })
    await agent.chat('Holidays?')
    expect(embedded.flat().join('\n')).toContain('30 days of holidays')
    expect(printed.join('\n')).not.toContain('by words only')
    await agent.close()
  })

  it('are made by the model that [embedding] names', async () => {
    await using server = await fakeProvider('ollama', [])
    const configPath = config(
      `[defaults]\nollama_server_url = "${server.url}"\n[embedding]\nprovider = "ollama"\nmodel = "nomic-embed-text"\n`,
    )
    const agent = docs({ configPath, retriever: places() })
    await agent.chat('Holidays?')
    expect(server.requests.some(({ path }) => path.includes('embed'))).toBe(true)
    expect((await agent.knowledge?.sync())?.mode).toBe('hybrid')
    await agent.close()
  })

  it('are absent without a key, with a notice and no error', async () => {
    const agent = docs({ retriever: places() })
    await agent.chat('Holidays?')
    expect(printed).toContainEqual(expect.stringContaining('searched by words only'))
    await agent.close()
  })

  it('are another provider’s, with a notice, when the chat’s has none', async () => {
    vi.stubEnv('MISTRAL_API_KEY', 'key')
    vi.stubEnv('ANTHROPIC_API_KEY', 'key')
    const agent = docs({ model: 'anthropic/claude-sonnet-5', retriever: places() })
    expect(printed).toContainEqual(
      expect.stringMatching(/embedded by mistral\/mistral-embed, as the chat model's provider has no default/),
    )
    await agent.close()
  })
})

describe('the options about files', () => {
  it.each<[Partial<AgentOptions>, string, string]>([
    // JavaScript may pass anything.
    [
      { retrieve: true, retrievalTool: 'pinecone' as 'basic' },
      'invalid-argument',
      '"basic", "localstore", "cloudindex-',
    ],
    [{ retrieve: true, requiredExts: ['.exe'] }, 'invalid-argument', 'These can: .csv'],
    [{ retrieve: 'yes' as unknown as boolean }, 'invalid-argument', '`retrieve` is true or false'],
    [{ retrieve: true, retrievalTool: 'cloudindex-serverless' }, 'missing-key', 'PINECONE_API_KEY'],
    [
      { retrieve: true, retriever: { retrievalTool: 'cloudindex-pod', cloud: { apiKey: 'key' } } },
      'invalid-config',
      'Configure one in `[embedding]`',
    ],
  ])('are refused at once: %j', (options, code, message) => {
    expect(() => docs(options)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }))
  })

  it('are refused at once: a cloud index without its key', () => {
    vi.stubEnv('OPENAI_API_KEY', 'key')
    expect(() => docs({ retrieve: true, retrievalTool: 'cloudindex-serverless' })).toThrow(
      expect.objectContaining({ code: 'missing-key', message: expect.stringContaining('PINECONE_API_KEY') }),
    )
  })

  it('cause a warning when the agent does not retrieve', async () => {
    const agent = docs({ requiredExts: ['.md'] })
    expect(agent.sdkContext.warnings).toEqual([expect.stringContaining('`requiredExts` has no effect without')])
    expect(agent.knowledge).toBeUndefined()
    await agent.close()
  })

  it('cause a warning in the agent’s own table, and none in [defaults]', async () => {
    const keys = 'required_exts = [".md"]\nretrieval_tool = "localstore"\n'
    const agent = docs({ configPath: config(`[docs]\n${keys}`) })
    expect(agent.sdkContext.warnings).toEqual([
      expect.stringContaining('agentkit_config.toml: `required_exts` and `retrieval_tool` have no effect'),
    ])
    await agent.close()
    const other = docs({ configPath: config(`[defaults]\n${keys}[docs]\nmax_steps = 3\n`) })
    expect(other.sdkContext.warnings).toEqual([])
    await other.close()
  })

  it('have the limits of parsing from the TOML, which the code overrides', async () => {
    const keys = 'parse_memory_mb = 256\nparse_cpu_seconds = 20\nparse_processes = 1\nfirst_answer_seconds = 2.5\n'
    const agent = docs({ configPath: config(`[docs]\nretrieve = true\n[retriever]\n${keys}`) })
    expect(agent.knowledge?.firstAnswerSeconds).toBe(2.5)
    const context = agent.sdkContext
    const parsing = { memoryMb: 256, cpuSeconds: 20, processes: 1, firstAnswerSeconds: 2.5 }
    expect(retrieverOptions({}, {}, context)).toEqual({ parsing })
    expect(retrieverOptions({ retriever: { parsing: { processes: 2 } } }, {}, context)).toEqual({
      parsing: { ...parsing, processes: 2 },
    })
    await agent.close()
  })

  it('accept the same extensions in the configuration and in the package', () => {
    expect(() => createRetriever({ requiredExts: [] })).toThrow(`There are: ${readableExts.join(', ')}.`)
  })

  it('are refused with the fix when the retriever is not installed', () => {
    const absent = () => {
      const message = "Cannot find module '@agentkit/retriever'"
      throw Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' })
    }
    expect(() => requireRetriever(absent)).toThrow(
      expect.objectContaining({
        code: 'missing-package',
        message: expect.stringContaining('npm i @agentkit/retriever'),
      }),
    )
    const broken = () => {
      throw new TypeError('broken')
    }
    expect(() => requireRetriever(broken)).toThrow(TypeError)
  })
})
