import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { loopback } from '@agentkit/test-loopback'
import { Mistral } from '@mistralai/mistralai'
import { HTTPClient } from '@mistralai/mistralai/lib/http.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf, json, stop } from './__fixtures__/loopback.ts'
import { type MistralProvider, mistral } from './provider.ts'

type Sent = { url: string; headers: Headers }

/** A fetch that answers, and keeps what was sent. */
function fakeFetch(): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = []
  const fake: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    sent.push({ url: request.url, headers: request.headers })
    return new Response(`data: ${JSON.stringify(stop)}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
  }
  return { fetch: fake, sent }
}

async function call(provider: MistralProvider): Promise<unknown> {
  const { signal } = new AbortController()
  return await Array.fromAsync(provider.model('m').stream({ messages: [{ role: 'user', content: 'hi' }] }, signal))
}

beforeEach(() => {
  vi.stubEnv('MISTRAL_API_KEY', undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('mistral', () => {
  it("calls Mistral's own server", async () => {
    const { fetch, sent } = fakeFetch()
    await call(mistral({ apiKey: 'abc', fetch }))
    expect(sent[0]?.url).toBe('https://api.mistral.ai/v1/chat/completions')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer abc')
  })

  it('takes its key from the environment, as late as the first model', async () => {
    const { fetch, sent } = fakeFetch()
    const provider = mistral({ fetch })
    vi.stubEnv('MISTRAL_API_KEY', 'from-env')
    await call(provider)
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer from-env')
  })

  it.each(['', 'https://api.eu.mistral.ai'])('wants a key for Mistral itself (%s)', (baseURL) => {
    const provider = mistral({ baseURL })
    expect(() => provider.model('m')).toThrow(expect.objectContaining({ code: 'missing-key' }))
    expect(() => provider.embedder('m')).toThrow(/MISTRAL_API_KEY/)
  })

  it('wants no key for another server, and keeps the path of its address', async () => {
    const { fetch, sent } = fakeFetch()
    await call(mistral({ baseURL: 'http://127.0.0.1:9/gateway', fetch }))
    expect(sent[0]?.url).toBe('http://127.0.0.1:9/gateway/v1/chat/completions')
    expect(sent[0]?.headers.get('authorization')).toBeNull()
  })

  it.each(['api.mistral.ai', 'ftp://x'])('refuses "%s" as an address', (baseURL) => {
    const provider = mistral({ baseURL, apiKey: 'abc' })
    expect(() => provider.model('m')).toThrow(expect.objectContaining({ code: 'invalid-config' }))
  })

  it('says that the address is the root where it is not', async () => {
    await using server = await loopback(json(404, { detail: 'Not Found' }))
    const error = await errorOf(call(mistral({ baseURL: `${server.baseURL}/v1` })))
    expect(error.message).toContain('leave out /v1')
  })

  it('uses a client of the SDK as it is, with its key, address, HTTP client and hooks', async () => {
    const { fetch, sent } = fakeFetch()
    const httpClient = new HTTPClient({ fetcher: (input, init) => fetch(input, init) })
    httpClient.addHook('beforeRequest', (request) => {
      request.headers.set('x-hook', 'yes')
    })
    const client = new Mistral({ apiKey: 'abc', serverURL: 'http://127.0.0.1:9', httpClient })
    await call(mistral({ client, apiKey: 'ignored', baseURL: 'http://127.0.0.1:1' }))
    expect(sent[0]?.url).toBe('http://127.0.0.1:9/v1/chat/completions')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer abc')
    expect(sent[0]?.headers.get('x-hook')).toBe('yes')
  })

  it.each<[string, () => Promise<Response>]>([
    ['an error of the server', async () => Response.json({ error: { message: 'down' } }, { status: 503 })],
    ['a connection that breaks', () => Promise.reject(new TypeError('fetch failed'))],
  ])('lets no client retry by itself after %s (Q15)', async (_what, fail) => {
    const fetch = vi.fn(fail)
    const backoff = { initialInterval: 1, maxInterval: 2, exponent: 1, maxElapsedTime: 1000 }
    const client = new Mistral({
      apiKey: 'abc',
      httpClient: new HTTPClient({ fetcher: fetch }),
      retryConfig: { strategy: 'backoff', backoff, retryConnectionErrors: true },
    })
    await expect(call(mistral({ client }))).rejects.toMatchObject({ retryable: true })
    const embedder = mistral({ client }).embedder('mistral-embed')
    await expect(embedder.embed(['a'], new AbortController().signal)).rejects.toMatchObject({ retryable: true })
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it.each([
    { whose: 'its own', apiKey: 'abc-secret' },
    { whose: 'that of the environment', apiKey: undefined },
  ])('uses a client without an HTTP client too, with a key, $whose, that it never says (Q22)', async ({ apiKey }) => {
    vi.stubEnv('MISTRAL_API_KEY', 'abc-secret')
    await using server = await loopback(json(401, { detail: 'no abc-secret here' }))
    const client = new Mistral({ ...(apiKey && { apiKey }), serverURL: server.baseURL })
    const error = await errorOf(call(mistral({ client })))
    // The SDK looks into the environment once for a process.
    if (apiKey) expect(server.requests[0]?.headers.authorization).toBe('Bearer abc-secret')
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain('abc-secret')
  })

  it('wants nothing beside a client, whose key may be a function', async () => {
    const { fetch, sent } = fakeFetch()
    const httpClient = new HTTPClient({ fetcher: (input, init) => fetch(input, init) })
    await call(mistral({ client: new Mistral({ apiKey: async () => 'made', httpClient }) }))
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer made')
  })

  it('knows its models, and takes others', () => {
    const provider = mistral({ apiKey: 'abc' })
    const { id, info } = provider.model('mistral-large-latest')
    expect(id).toBe('mistral/mistral-large-latest')
    expect(info).toMatchObject({ contextWindow: expect.any(Number), price: { inputUsdPerMillion: expect.any(Number) } })
    expect(info?.nativeOutput).toBe('without-tools')
    expect(provider.model('my-own').info).toEqual({ nativeOutput: 'without-tools' })
  })

  it.each([0, Number.NaN])('refuses %s as a timeout', (firstByteTimeoutMs) => {
    const provider = mistral({ apiKey: 'abc' })
    expect(() => provider.model('m', { firstByteTimeoutMs })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('does not load the SDK before the first call', () => {
    const entry = fileURLToPath(new URL('./index.ts', import.meta.url))
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      const { mistral } = await import(${JSON.stringify(entry)})
      mistral({ apiKey: 'abc' }).model('m')
      console.log(loaded.filter((url) => url.includes('mistralai')).length, loaded.length > 5)
    `
    const output = execFileSync(
      process.execPath,
      ['--conditions=@agentkit/source', '--input-type=module', '--eval', script],
      { encoding: 'utf8', cwd: fileURLToPath(new URL('..', import.meta.url)) },
    )
    expect(output.trim()).toBe('0 true')
  })
})

describe('an embedder', () => {
  const { signal } = new AbortController()

  it('turns texts into vectors, in the order of the texts', async () => {
    await using server = await loopback((response, request) => {
      const input = request.body.input as string[]
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 0.5] }))
      json(200, { id: 'e', object: 'list', model: 'mistral-embed', data: data.reverse(), usage: {} })(response, request)
    })
    const embedder = mistral({ apiKey: 'abc', baseURL: server.baseURL }).embedder('mistral-embed')
    expect(embedder.id).toBe('mistral/mistral-embed')
    expect(await embedder.embed(['a', 'bbb'], signal)).toEqual([Float32Array.of(1, 0.5), Float32Array.of(3, 0.5)])
    expect(server.requests).toMatchObject([{ path: '/v1/embeddings', headers: { authorization: 'Bearer abc' } }])
    expect(server.requests[0]?.body).toEqual({ model: 'mistral-embed', input: ['a', 'bbb'] })
  })

  it('requests shorter vectors only with `dimensions`', async () => {
    await using server = await loopback(json(200, { data: [{ index: 0, embedding: Array(256).fill(1) }] }))
    const embedder = mistral({ baseURL: server.baseURL }).embedder('codestral-embed', { dimensions: 256 })
    await embedder.embed(['a'], signal)
    expect(server.requests[0]?.body).toMatchObject({ output_dimension: 256 })
    expect(embedder.dimensions).toBe(256)
  })

  it('splits many texts, and sends no empty one (Q18)', async () => {
    await using server = await loopback((response, request) => {
      const input = request.body.input as string[]
      json(200, { data: input.map((_text, index) => ({ index, embedding: [index] })) })(response, request)
    })
    const embedder = mistral({ baseURL: server.baseURL }).embedder('mistral-embed')
    await embedder.embed(['word '.repeat(4_000), 'text '.repeat(4_000), ''], signal)
    expect(server.requests.map(({ body }) => (body.input as string[]).length)).toEqual([1, 2])
    expect(server.requests[1]?.body.input).toContain(' ')
  })

  it.each([
    { status: 401, body: { detail: 'Unauthorized' }, code: 'auth' },
    { status: 429, body: { message: 'Rate limit exceeded' }, code: 'rate-limit' },
    { status: 200, body: { data: [] }, code: 'malformed-stream' },
  ])('fails with $code', async ({ status, body, code }) => {
    await using server = await loopback(json(status, body))
    const embedder = mistral({ baseURL: server.baseURL }).embedder('mistral-embed')
    expect((await errorOf(embedder.embed(['a'], signal))).code).toBe(code)
  })

  it('is aborted by its signal', async () => {
    await using server = await loopback(() => {})
    const controller = new AbortController()
    const embedder = mistral({ baseURL: server.baseURL }).embedder('mistral-embed', { timeoutMs: 60_000 })
    const embedding = embedder.embed(['a'], controller.signal)
    controller.abort()
    expect((await errorOf(embedding)).code).toBe('aborted')
  })
})
