import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
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

  it.each<[string, (fetch: typeof globalThis.fetch) => GroqProvider]>([
    ['a fetch of your own', (fetch) => groq({ apiKey: 'abc', fetch })],
    ['a client of your own', (fetch) => groq({ client: new Groq({ apiKey: 'abc', fetch }) })],
  ])('aborts what %s sends', async (_name, make) => {
    const controller = new AbortController()
    let sentWith: AbortSignal | null | undefined
    const provider = make((_input, init) => {
      sentWith = init?.signal
      controller.abort()
      return new Promise(() => {})
    })
    const answer = provider.model('m').stream(question, controller.signal)[Symbol.asyncIterator]().next()
    await expect(answer).rejects.toMatchObject({ code: 'aborted' })
    expect(sentWith?.aborted).toBe(true)
  })

  it('lets no timer of a client end a call: there are our own', async () => {
    const { fetch, sent } = fakeFetch()
    const slow: typeof fetch = async (input, init) => {
      await wait(60, undefined, init?.signal ? { signal: init.signal } : {})
      return await fetch(input, init)
    }
    await call(groq({ client: new Groq({ apiKey: 'abc', timeout: 5, fetch: slow }) }))
    expect(sent).toHaveLength(1)
  })

  it('lets no client retry by itself (Q15)', async () => {
    const fetch = vi.fn(async () => Response.json({ error: { message: 'down' } }, { status: 500 }))
    await expect(call(groq({ client: new Groq({ apiKey: 'abc', maxRetries: 2, fetch }) }))).rejects.toThrow('down')
    expect(fetch).toHaveBeenCalledTimes(1)
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

  it('has no embeddings, and names providers that have', () => {
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
