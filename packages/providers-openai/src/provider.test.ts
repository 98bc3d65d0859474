import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ModelEvent } from '@agentkit/core'
import { fakeProvider } from '@agentkit/testing'
import { OpenAI } from 'openai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answers } from './__fixtures__/loopback.ts'
import { type OpenAIProvider, openai } from './provider.ts'

type Sent = { url: string; authorization: string | null; headers: Headers }

/** A fetch that answers on either wire, and keeps what was sent. */
function fakeFetch(): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = []
  const fake: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    const url = String(input)
    sent.push({ url, authorization: headers.get('authorization'), headers })
    const answer = answers.find(({ path }) => url.endsWith(path.slice('/v1'.length)))
    return new Response(answer?.text, { headers: { 'content-type': 'text/event-stream' } })
  }
  return { fetch: fake, sent }
}

async function call(provider: OpenAIProvider): Promise<void> {
  const { signal } = new AbortController()
  for await (const _event of provider.model('m').stream({ messages: [{ role: 'user', content: 'hi' }] }, signal));
}

beforeEach(() => {
  for (const name of ['LLMPROVIDER_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL']) vi.stubEnv(name, undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('openai', () => {
  it('quotes an address in a hint without its query, which may have a key', async () => {
    const fetch: typeof globalThis.fetch = async () => Response.json({ error: { message: 'no' } }, { status: 404 })
    await expect(call(openai({ baseURL: 'http://127.0.0.1:9/x?token=opaque-4711', fetch }))).rejects.toThrow(
      'The baseURL of most servers ends in /v1: http://127.0.0.1:9/x does not.',
    )
  })

  it('repeats no key of the query in the words of a server that quotes it (Q22)', async () => {
    const fetch: typeof globalThis.fetch = async (input) =>
      Response.json({ error: { message: `No route ${input}.` } }, { status: 404 })
    const failed = call(openai({ baseURL: 'http://127.0.0.1:9/v1?api_key=opaque-4711', fetch }))
    await expect(failed).rejects.toThrow('No route http://127.0.0.1:9/v1/chat/completions?api_key=[redacted].')
    await expect(failed).rejects.not.toMatchObject({ cause: { body: expect.stringContaining('4711') } })
  })

  it("speaks Responses on OpenAI's own server", async () => {
    const { fetch, sent } = fakeFetch()
    await call(openai({ apiKey: 'abc', fetch }))
    expect(sent).toMatchObject([{ url: 'https://api.openai.com/v1/responses', authorization: 'Bearer abc' }])
  })

  it.each([
    { server: "OpenAI's own server", options: { apiKey: 'abc' }, stop: ['a', 'b', 'c', 'd'] },
    { server: 'another one', options: { baseURL: 'http://127.0.0.1:9/v1' }, stop: ['a', 'b', 'c', 'd', 'e'] },
  ])('sends $server the texts to stop at that it takes (Q21)', async ({ options, stop }) => {
    let body: unknown
    const fetch: typeof globalThis.fetch = async (_address, init) => {
      body = JSON.parse(String(init?.body))
      return new Response(answers.find(({ api }) => api === 'chat')?.text)
    }
    const model = openai({ ...options, api: 'chat', fetch }).model('gpt-4.1')
    const request = { messages: [{ role: 'user' as const, content: 'hi' }], stop: ['a', 'b', 'c', 'd', 'e'] }
    for await (const _event of model.stream(request, new AbortController().signal));
    expect(body).toMatchObject({ stop })
  })

  it('speaks Chat Completions on any other server', async () => {
    const { fetch, sent } = fakeFetch()
    await call(openai({ apiKey: 'abc', baseURL: 'http://127.0.0.1:9/v1', fetch }))
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:8/v1')
    await call(openai({ apiKey: 'abc', fetch }))
    expect(sent.map(({ url }) => url)).toEqual([
      'http://127.0.0.1:9/v1/chat/completions',
      'http://127.0.0.1:8/v1/chat/completions',
    ])
  })

  it('uses the given API', async () => {
    const { fetch, sent } = fakeFetch()
    await call(openai({ apiKey: 'abc', api: 'chat', fetch }))
    await call(openai({ apiKey: 'abc', api: 'responses', baseURL: 'http://127.0.0.1:9/v1', fetch }))
    expect(sent.map(({ url }) => url)).toEqual([
      'https://api.openai.com/v1/chat/completions',
      'http://127.0.0.1:9/v1/responses',
    ])
  })

  it.each([
    ['the option first', { option: 'from-option', first: 'from-llmprovider', second: 'from-openai' }, 'from-option'],
    ['then LLMPROVIDER_API_KEY', { first: 'from-llmprovider', second: 'from-openai' }, 'from-llmprovider'],
    ['then OPENAI_API_KEY', { second: 'from-openai' }, 'from-openai'],
    ['and skips what is blank', { option: ' ', first: '', second: ' from-openai\n' }, 'from-openai'],
  ])('takes the key from %s', async (_name, { option, first, second }: Record<string, string>, key) => {
    const { fetch, sent } = fakeFetch()
    vi.stubEnv('LLMPROVIDER_API_KEY', first)
    vi.stubEnv('OPENAI_API_KEY', second)
    await call(openai({ fetch, ...(option && { apiKey: option }) }))
    expect(sent).toMatchObject([{ authorization: `Bearer ${key}` }])
  })

  it('misses a key when a model is made, and names both variables', () => {
    const provider = openai()
    const missing = expect.objectContaining({
      code: 'missing-key',
      message: expect.stringMatching(/LLMPROVIDER_API_KEY.*OPENAI_API_KEY/),
    })
    expect(() => provider.model('m')).toThrow(missing)
    expect(() => provider.embedder('m')).toThrow(missing)
  })

  it('takes a key that is set after the provider was made', () => {
    const provider = openai()
    vi.stubEnv('OPENAI_API_KEY', 'late')
    expect(provider.model('m').id).toBe('openai/m')
  })

  it('needs no key for another server, and still uses one that is set', async () => {
    const { fetch, sent } = fakeFetch()
    const options = { baseURL: 'http://127.0.0.1:9/v1', fetch }
    await call(openai(options))
    vi.stubEnv('OPENAI_API_KEY', 'from-env')
    await call(openai(options))
    expect(sent.map(({ authorization }) => authorization)).toEqual(['Bearer no-key', 'Bearer from-env'])
  })

  it.each(['abc–def', 'abc def', 'abc\ndef'])('refuses the key %j without showing it', (apiKey) => {
    const error = expect.objectContaining({ code: 'invalid-config', message: expect.not.stringContaining(apiKey) })
    expect(() => openai({ apiKey }).model('m')).toThrow(error)
  })

  const named = { name: 'xai', baseURL: 'http://127.0.0.1:9/v1', headers: { 'x-team': 'garden' } }
  it.each([
    ['the first request, by the SDK', 'x-gateway: opaque-4711\nAuthorization: Bearer opaque-4711\nx-team: other'],
    ['a request without the SDK', undefined],
  ])('sends another server nothing of the account of OpenAI in the environment: %s', async (_what, customHeaders) => {
    const { fetch, sent } = fakeFetch()
    vi.stubEnv('OPENAI_API_KEY', 'opaque-4711')
    vi.stubEnv('OPENAI_ORG_ID', 'org-4711')
    vi.stubEnv('OPENAI_PROJECT_ID', 'proj-4711')
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', customHeaders)
    await call(openai({ ...named, fetch }))
    const headers = [...(sent[0]?.headers ?? [])]
    expect(headers).toContainEqual(['x-team', 'garden'])
    expect(headers.filter(([name, value]) => /^openai-|^authorization$/.test(name) || value.includes('4711'))).toEqual(
      [],
    )
  })

  it('refuses an address that is none', () => {
    expect(() => openai({ apiKey: 'abc', baseURL: 'localhost/v1' }).model('m')).toThrow(
      expect.objectContaining({ code: 'invalid-config' }),
    )
  })

  it('refuses a timeout that is none', () => {
    expect(() => openai({ apiKey: 'abc' }).model('m', { idleTimeoutMs: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('uses a client as it is given', async () => {
    const { fetch, sent } = fakeFetch()
    const client = new OpenAI({ apiKey: 'of-client', baseURL: 'http://127.0.0.1:7/v1', fetch })
    await call(openai({ client }))
    expect(sent).toMatchObject([{ url: 'http://127.0.0.1:7/v1/chat/completions', authorization: 'Bearer of-client' }])
  })

  it.each<[string, () => Promise<Response>]>([
    ['an error of the server', async () => Response.json({ error: { message: 'down' } }, { status: 503 })],
    ['a connection that breaks', () => Promise.reject(new TypeError('fetch failed'))],
  ])('lets no client retry by itself after %s (Q15)', async (_what, fail) => {
    const fetch = vi.fn(fail)
    const client = new OpenAI({ apiKey: 'of-client', maxRetries: 2, fetch })
    for (const api of ['chat', 'responses'] as const) {
      await expect(call(openai({ client, api }))).rejects.toMatchObject({ retryable: true })
    }
    const embedder = openai({ client }).embedder('text-embedding-3-small')
    await expect(embedder.embed(['a'], new AbortController().signal)).rejects.toMatchObject({ retryable: true })
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  it('sends the headers that it is given', async () => {
    const { fetch, sent } = fakeFetch()
    await call(openai({ apiKey: 'abc', headers: { 'x-team': 'blue' }, fetch }))
    expect(sent[0]?.headers.get('x-team')).toBe('blue')
  })

  it("knows the abilities of OpenAI's own models, and assumes none for other servers", () => {
    const info = openai({ apiKey: 'abc' }).model('gpt-5-mini-2025-08-07').info
    expect(info).toMatchObject({ contextWindow: 400_000, nativeOutput: 'always', price: { inputUsdPerMillion: 0.25 } })
    expect(openai({ apiKey: 'abc' }).model('brand-new').info).toEqual({ nativeOutput: 'always' })
    expect(openai({ apiKey: 'abc' }).model('gpt-3.5-turbo').info).toEqual({ nativeOutput: 'never' })
    const gateway = openai({ baseURL: 'http://127.0.0.1:9/v1' })
    expect(gateway.model('gpt-5').info).toMatchObject({ contextWindow: 400_000 })
    expect(gateway.model('qwen3').info).toBeUndefined()
  })

  it('does not load the SDK before the first call', () => {
    const index = fileURLToPath(new URL('./index.ts', import.meta.url))
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) })
      const { openai } = await import(${JSON.stringify(index)})
      openai({ apiKey: 'abc' }).model('m')
      console.log(loaded.includes('openai'), loaded.includes('@agentkit/wire'))`
    const flags = ['--conditions=@agentkit/source', '--input-type=module', '--eval', script]
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('false true')
  })
})

it.each([
  ['responses', 'application/pdf', 'input_file'],
  ['responses', 'text/csv', 'input_file'],
  ['responses', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'input_file'],
  ['responses', 'application/zip', 'left out'],
  ['chat', 'application/pdf', 'file_data'],
  ['chat', 'application/zip', 'left out'],
] as const)('sends by %s a file of type %s as one that is read: %s', async (api, mediaType, sent) => {
  await using server = await fakeProvider('openai-responses', ['Taken.'])
  const model = openai({ apiKey: 'test', baseURL: server.url, api }).model('gpt-4.1')
  const content = [{ type: 'file' as const, base64: 'YWJj', mediaType, name: 'a.bin' }]
  const events: ModelEvent[] = []
  for await (const event of model.stream({ messages: [{ role: 'user', content }] }, new AbortController().signal)) {
    events.push(event)
  }
  expect(JSON.stringify(server.requests[0]?.body)).toContain(sent)
  expect(events.some(({ type }) => type === 'warning')).toBe(sent === 'left out')
})
