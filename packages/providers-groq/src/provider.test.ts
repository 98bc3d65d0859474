import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Groq } from 'groq-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeFetch, question } from './__fixtures__/fake-fetch.ts'
import { type GroqProvider, groq } from './provider.ts'

async function call(provider: GroqProvider): Promise<void> {
  const { signal } = new AbortController()
  for await (const _event of provider.model('qwen/qwen3.8-27b').stream(question, signal));
}

beforeEach(() => {
  for (const name of ['GROQ_API_KEY', 'GROQ_BASE_URL']) vi.stubEnv(name, undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('groq', () => {
  it("calls Groq's own server, for models with a maker in their name (Q56)", async () => {
    const { fetch, sent } = fakeFetch()
    await call(groq({ apiKey: 'abc', fetch }))
    expect(sent).toMatchObject([
      { url: 'https://api.groq.com/openai/v1/chat/completions', body: { model: 'qwen/qwen3.8-27b', stream: true } },
    ])
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer abc')
    expect(groq({ apiKey: 'abc' }).model('qwen/qwen3.8-27b').id).toBe('groq/qwen/qwen3.8-27b')
  })

  it.each([
    ['the root', 'http://127.0.0.1:9'],
    ['the root with a slash', 'http://127.0.0.1:9/'],
    ["the address for OpenAI's clients", 'http://127.0.0.1:9/openai/v1'],
    ["the address for OpenAI's clients, with a slash", 'http://127.0.0.1:9/openai/v1/'],
  ])('takes as address %s', async (_name, baseURL) => {
    const { fetch, sent } = fakeFetch()
    await call(groq({ apiKey: 'abc', baseURL, fetch }))
    vi.stubEnv('GROQ_BASE_URL', baseURL)
    await call(groq({ apiKey: 'abc', fetch }))
    const url = 'http://127.0.0.1:9/openai/v1/chat/completions'
    expect(sent).toMatchObject([{ url }, { url }])
  })

  it('takes the key from the environment, also when it is set late', async () => {
    const { fetch, sent } = fakeFetch()
    const provider = groq({ fetch })
    expect(() => provider.model('m')).toThrow(
      expect.objectContaining({ code: 'missing-key', message: expect.stringContaining('GROQ_API_KEY') }),
    )
    vi.stubEnv('GROQ_API_KEY', 'from-env')
    await call(provider)
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer from-env')
  })

  it('refuses an address that is none, and a timeout that is none', () => {
    const config = expect.objectContaining({ code: 'invalid-config', provider: 'groq' })
    expect(() => groq({ apiKey: 'abc', baseURL: 'localhost' }).model('m')).toThrow(config)
    const timeout = { idleTimeoutMs: 0 }
    expect(() => groq({ apiKey: 'abc' }).model('m', timeout)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('uses a client as it is given, and needs no key then', async () => {
    const { fetch, sent } = fakeFetch()
    await call(groq({ client: new Groq({ apiKey: 'of-client', baseURL: 'http://127.0.0.1:7', fetch }) }))
    expect(sent[0]?.url).toBe('http://127.0.0.1:7/openai/v1/chat/completions')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer of-client')
  })

  it('sends the headers that it is given', async () => {
    const { fetch, sent } = fakeFetch()
    await call(groq({ apiKey: 'abc', headers: { 'x-team': 'blue' }, fetch }))
    expect(sent[0]?.headers.get('x-team')).toBe('blue')
  })

  it('knows limits and prices of models, and answers to a schema from none (Q54)', () => {
    const provider = groq({ apiKey: 'abc' })
    expect(provider.model('openai/gpt-oss-20b').info).toMatchObject({
      contextWindow: 131_072,
      nativeOutput: 'never',
      price: { inputUsdPerMillion: 0.075 },
    })
    expect(provider.model('maker/brand-new').info).toEqual({ nativeOutput: 'never' })
  })

  it('has no embeddings, and says who has', () => {
    expect(() => groq().embedder('m')).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('OpenAI') }),
    )
  })

  it('does not load the SDK before the first call', () => {
    const index = fileURLToPath(new URL('./index.ts', import.meta.url))
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) })
      const { groq } = await import(${JSON.stringify(index)})
      groq({ apiKey: 'abc' }).model('m')
      console.log(loaded.includes('groq-sdk'), loaded.includes('@agentkit/wire'))`
    const flags = ['--conditions=@agentkit/source', '--input-type=module', '--eval', script]
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('false true')
  })
})
