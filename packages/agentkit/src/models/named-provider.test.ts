import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAgentKitError } from '@agentkit/core'
import { type FakeProvider, fakeProvider } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Agent } from '../agents/agent.ts'
import { SDKContext } from '../config/sdk-context.ts'
import { namedEmbedding } from '../knowledge/embedding-choice.ts'
import { loadEmbedder } from '../knowledge/load-embedder.ts'

let folder: string
let context: SDKContext | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-providers-'))
  for (const name of ['OPENAI_BASE_URL', 'LLMPROVIDER_API_KEY']) vi.stubEnv(name, undefined)
  vi.stubEnv('OPENAI_API_KEY', 'sk-of-openai')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await context?.close()
  context = undefined
  rmSync(folder, { recursive: true, force: true })
})

function contextOf(toml: string): SDKContext {
  const path = join(folder, 'agentkit_config.toml')
  writeFileSync(path, toml)
  context = new SDKContext({ configPath: path })
  return context
}

function problemOf(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    return isAgentKitError(error) ? `${error.code}: ${error.message}` : String(error)
  }
  return 'none'
}

const table = (url: string, more = ''): string =>
  `[providers.xai]\nkind = "openai-compatible"\nbase_url = "${url}"\n${more}\n`
const agentOf = (toml: string, model = 'xai/grok-4'): Agent =>
  new Agent({ name: 'Helper', functions: [], model, sessions: ':memory:', sdkContext: contextOf(toml) })
const headersOf = (server: FakeProvider) => server.requests.map(({ headers }) => headers)

describe('a provider of the configuration', () => {
  it('answers by its name, and is sent its own key', async () => {
    vi.stubEnv('XAI_API_KEY', 'xai-key-1')
    await using server = await fakeProvider('openai-chat', ['Hello.', 'Hello again.'])
    const toml = table(server.url, 'key_env = "XAI_API_KEY"\nheaders = { "x-team" = "garden" }')
    expect(await agentOf(toml).chat('Hi')).toBe('Hello.')
    expect(headersOf(server)[0]).toMatchObject({ authorization: '[recorded]', 'x-team': 'garden' })
    // The name of a model may have slashes.
    const other = agentOf(toml, 'xai/org/grok:4')
    expect(await other.chat('Hi')).toBe('Hello again.')
    expect(server.requests[1]?.body).toMatchObject({ model: 'org/grok:4' })
    expect(other.models[0]?.id).toBe('xai/org/grok:4')
  })

  it('has variables of the environment in its headers', async () => {
    vi.stubEnv('XAI_API_KEY', 'xai-key-1')
    await using server = await fakeProvider('openai-chat', ['Hello.'])
    const toml = table(server.url, `key_env = "XAI_API_KEY"\nheaders = { "x-team" = "of \${TEAM_OF_THE_TEST}" }`)
    await expect(agentOf(toml).chat('Hi')).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringContaining(`[providers.xai] names \${TEAM_OF_THE_TEST}, which is not set.`),
    })
    vi.stubEnv('TEAM_OF_THE_TEST', 'gardeners')
    expect(await agentOf(toml).chat('Hi')).toBe('Hello.')
    expect(headersOf(server)).toMatchObject([{ 'x-team': 'of gardeners' }])
  })

  it('is sent no key at all without key_env', async () => {
    const authorizations: unknown[] = []
    const server = createServer((request, response) => {
      authorizations.push(request.headers.authorization)
      response.writeHead(500).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // of a port
    await expect(agentOf(table(`http://127.0.0.1:${port}/v1`)).chat('Hi')).rejects.toThrow('xai')
    server.close()
    expect(authorizations.length).toBeGreaterThan(0)
    expect(new Set(authorizations)).toEqual(new Set([undefined]))
  })

  it('is not a model by its name alone', () => {
    expect(() => agentOf(table('http://127.0.0.1:9/v1'), 'xai')).toThrow('"xai" names no model. Write "xai/<model>".')
  })

  it('may speak Responses', async () => {
    vi.stubEnv('XAI_API_KEY', 'xai-key-1')
    await using server = await fakeProvider('openai-responses', ['Hello.'])
    expect(await agentOf(table(server.url, 'api = "responses"\nkey_env = "XAI_API_KEY"')).chat('Hi')).toBe('Hello.')
  })

  it('is a name in agent tables, and in chains', async () => {
    vi.stubEnv('XAI_API_KEY', 'xai-key-1')
    const key = 'key_env = "XAI_API_KEY"'
    await using down = await fakeProvider('openai-chat', [{ fault: 'reset' }, { fault: 'reset' }, { fault: 'reset' }])
    await using server = await fakeProvider('openai-chat', ['From the other.'])
    const toml = `${table(down.url, key)}${table(server.url, key).replace('xai', 'other')}[helper]\nmodel = ["xai/a", "other/b"]\n`
    const agent = new Agent({ name: 'Helper', functions: [], sessions: ':memory:', sdkContext: contextOf(toml) })
    expect(await agent.chat('Hi')).toBe('From the other.')
  })

  it('has errors with its name, and without its key', async () => {
    vi.stubEnv('XAI_API_KEY', 'xai-key-1')
    await using server = await fakeProvider('openai-chat', [{ status: 401, message: 'Wrong key xai-key-1' }])
    const failed = await agentOf(table(server.url, 'key_env = "XAI_API_KEY"'))
      .chat('Hi')
      .catch((error) => error)
    expect(failed).toMatchObject({ code: 'auth', provider: 'xai' })
    expect(failed.message).toContain('xai refused the key')
    expect(failed.message).toContain('Set XAI_API_KEY')
    expect(JSON.stringify([failed.message, failed.cause])).not.toContain('xai-key-1')
  })

  it('needs the variable that it names', () => {
    vi.stubEnv('XAI_API_KEY', ' ')
    const toml = table('http://127.0.0.1:9', 'key_env = "XAI_API_KEY"')
    expect(problemOf(() => agentOf(toml))).toBe(
      'missing-key: The models of "xai" need a key. Set XAI_API_KEY, for example in .env.',
    )
  })

  it("knows a model's facts from the file: window, prices, images", async () => {
    const facts = '[providers.xai.models."grok-4"]\ncontext_window = 1000\nmax_output_tokens = 100\nimages = false\n'
    const prices = 'input_usd_per_million = 2\noutput_usd_per_million = 4\nas_of = "2026-11-01"\n'
    const agent = agentOf(table('http://127.0.0.1:9') + facts + prices)
    expect(agent.models[0]?.info).toEqual({
      ...{ contextWindow: 1000, maxOutputTokens: 100 },
      price: { inputUsdPerMillion: 2, outputUsdPerMillion: 4, asOf: '2026-11-01' },
    })
    const image = { type: 'image', base64: 'aGk=', mediaType: 'image/png' } as const
    await expect(agent.chat([image])).rejects.toMatchObject({ message: expect.stringContaining('images = false') })
  })

  it('allows a budget in US dollars with a price alone', () => {
    const priced = `${table('http://127.0.0.1:9')}[providers.xai.models."grok-4"]\ninput_usd_per_million = 2\noutput_usd_per_million = 4\n`
    const budget = { usd: 1 }
    const make = (toml: string) => () =>
      new Agent({
        name: 'H',
        functions: [],
        model: 'xai/grok-4',
        budget,
        sessions: ':memory:',
        sdkContext: contextOf(toml),
      })
    expect(problemOf(make(priced))).toBe('none')
  })

  it.each([
    ['models = ["grok-4", "grok-4-mini"]', 'xai/grok-4-mni', 'Did you mean "xai/grok-4-mini"?'],
    ['models = ["grok-4"]', 'xai/completely-different-name', 'It lists grok-4.'],
    ['', 'xai/', '"xai/" names no model. Write "xai/<model>".'],
    ['', 'xia/grok-4', 'There is no provider "xia". Did you mean "xai/grok-4"?'],
    ['', 'deepseek/deepseek-chat', 'or the table [providers.deepseek] for a server'],
    ['', 'opnai/gpt-5.4', 'There is no provider "opnai". Did you mean "openai/gpt-5.4"?'],
  ])('refuses, with %j, the model %s', (more, model, sentence) => {
    expect(problemOf(() => agentOf(table('http://127.0.0.1:9', more), model))).toContain(sentence)
  })

  it.each([
    ['[providers.openai]\nkind = "openai-compatible"', 1, '"openai" is built in'],
    ['[providers.google]\nkind = "openai-compatible"', 1, '"google" is built in'],
    ['[providers."a/b"]\nkind = "openai-compatible"', undefined, `cannot be a provider's name`],
    ['[providers.xai]\nbase_url = "http://x/v1"', 1, 'Required: kind. Write kind = "openai-compatible".'],
    ['[providers.xai]\nkind = "openai-compatible"', 1, 'Required: base_url.'],
    ['[providers.xai]\nkind = "openai"', 2, '"kind" must be "openai-compatible". Write'],
    ['[providers.xai]\nkind = "openai-compatible"\nbase_url = "ftp://x"', 3, '"base_url" must be an http or https'],
    ['[providers.xai]\nkind = "openai-compatible"\nbase_url = "http://a:secret@x"', 3, '"base_url" must be'],
    // A password needs no user.
    ['[providers.xai]\nkind = "openai-compatible"\nbase_url = "http://:secret@x"', 3, '"base_url" must be'],
    ['[providers.xai]\nkind = "openai-compatible"\nbase_url = "http://secret@x"', 3, '"base_url" must be'],
    ['[providers.xai]\nkey_env = "sk-123"', 2, '"key_env" must be the name of an environment variable'],
    ['[providers.xai]\napi = "assistants"', 2, '"api" must be'],
    ['[providers.xai]\nheaders = { a = 1 }', 2, '"headers" must be a table of texts'],
    ['[providers.xai]\nheaders = { a = "b\\r\\nc: d" }', 2, '"headers" must be a table of texts'],
    ['[providers.xai]\nmodels = []', 2, '"models" must be a list of names'],
    ['[providers.xai.models."m"]\nas_of = "yesterday"', 2, '"as_of" must be a date'],
    ['[providers.xai.models."m"]\ncontext_window = -1', 2, '"context_window" must be'],
    ['providers = "xai"', 1, '"providers" must be tables'],
    ['[providers]\nxai = 1', 2, '"providers.xai" must be a table'],
  ])('is refused with %j', (toml, line, sentence) => {
    const problem = problemOf(() => contextOf(toml))
    expect(problem).toContain(sentence)
    expect(problem).not.toContain('secret')
    if (line !== undefined) expect(problem).toContain(`.toml:${line}: `)
  })

  it('may have its key in the headers or in key_env, not in both', () => {
    const more = 'key_env = "XAI_API_KEY"\nheaders = { Authorization = "Bearer secret-1" }'
    const problem = problemOf(() => contextOf(table('http://x', more)))
    expect(problem).toContain('The header "Authorization" and key_env both set the key.')
    expect(problem).not.toContain('secret-1')
  })

  it('is warned of a key that it does not have', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { warnings } = contextOf(table('http://x', 'base_ulr = "http://y"'))
    expect(warnings.join()).toContain('"base_ulr" is not a key of [providers.xai]. Did you mean "base_url"?')
    warn.mockRestore()
  })

  it('embeds files where it says that it can', async () => {
    await using server = await fakeProvider('openai-chat')
    const withTable = contextOf(`${table(server.url, 'embeddings = "bge-m3"')}[embedding]\nprovider = "xai"\n`)
    const { embedding, providers } = withTable.config
    const choice = namedEmbedding(embedding, 'openai', providers)
    expect(choice).toMatchObject({ provider: 'xai', model: 'bge-m3' })
    if (choice) expect((await loadEmbedder(choice)).id).toBe('xai/bge-m3')
    const named = namedEmbedding({ model: 'xai/other' }, 'openai', providers)
    expect(named).toMatchObject({ provider: 'xai', model: 'other' })
    const without = contextOf(table(server.url)).config.providers
    expect(problemOf(() => namedEmbedding({ provider: 'xai', model: 'm' }, 'openai', without))).toContain(
      'set embeddings = true in [providers.xai]',
    )
  })
})
