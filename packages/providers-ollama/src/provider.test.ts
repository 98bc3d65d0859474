import { execFileSync } from 'node:child_process'
import { chdir, cwd } from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Message } from '@agentkit/core'
import { json, loopback } from '@agentkit/test-loopback'
import { Ollama } from 'ollama'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { done, errorOf } from './__fixtures__/loopback.ts'
import { type OllamaProvider, ollama } from './provider.ts'

type Sent = { url: string; headers: Headers; body: Record<string, unknown> }

/** A fetch that answers, and keeps what was sent. */
function fakeFetch(): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = []
  const fake: typeof fetch = async (input, init) => {
    sent.push({ url: String(input), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) })
    return new Response(`${JSON.stringify(done())}\n`)
  }
  return { fetch: fake, sent }
}

const { signal } = new AbortController()

async function call(
  provider: OllamaProvider,
  messages: Message[] = [{ role: 'user', content: 'hi' }],
): Promise<unknown> {
  return await Array.fromAsync(provider.model('m').stream({ messages }, signal))
}

beforeEach(() => {
  for (const name of ['OLLAMA_HOST', 'OLLAMA_API_KEY']) vi.stubEnv(name, undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('ollama', () => {
  it('calls the server of this machine', async () => {
    const { fetch, sent } = fakeFetch()
    await call(ollama({ fetch, headers: { 'x-team': 'red' } }))
    expect(sent[0]?.url).toBe('http://127.0.0.1:11434/api/chat')
    expect(sent[0]?.headers.get('x-team')).toBe('red')
    expect(sent[0]?.headers.get('authorization')).toBeNull()
  })

  it('finds its server in OLLAMA_HOST, as late as the first model', async () => {
    const { fetch, sent } = fakeFetch()
    const provider = ollama({ fetch })
    vi.stubEnv('OLLAMA_HOST', '0.0.0.0:8080')
    await call(provider)
    expect(sent[0]?.url).toBe('http://127.0.0.1:8080/api/chat')
  })

  it('prefers the address that it is given', async () => {
    vi.stubEnv('OLLAMA_HOST', 'gpu')
    const { fetch, sent } = fakeFetch()
    await call(ollama({ fetch, serverUrl: 'https://other/ollama' }))
    expect(sent[0]?.url).toBe('https://other:443/ollama/api/chat')
  })

  it('sends the key of the environment to ollama.com alone', async () => {
    vi.stubEnv('OLLAMA_API_KEY', 'secret')
    const { fetch, sent } = fakeFetch()
    await call(ollama({ fetch, serverUrl: 'https://ollama.com' }))
    await call(ollama({ fetch, serverUrl: 'https://gpu' }))
    await call(ollama({ fetch, serverUrl: 'https://gpu', apiKey: 'abc' }))
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer secret', null, 'Bearer abc'])
  })

  it('sends a header of your own in place of its own, however that is written', async () => {
    const { fetch, sent } = fakeFetch()
    await call(ollama({ fetch, apiKey: 'abc', headers: { Authorization: 'Basic x' } }))
    expect(sent[0]?.headers.get('authorization')).toBe('Basic x')
  })

  it('never exposes the key that a client of the user finds', async () => {
    vi.stubEnv('OLLAMA_API_KEY', 'abc-secret')
    const fetch = async (): Promise<Response> => Response.json({ error: 'no abc-secret here' }, { status: 401 })
    const error = await errorOf(call(ollama({ client: new Ollama({ fetch }) })))
    expect(error.message).toMatch(/no .* here/)
    expect(error.message).not.toContain('abc-secret')
  })

  it('says how to start the server only where nothing answers', async () => {
    const failing = (code: string) => async (): Promise<Response> => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })
    }
    const refused = await errorOf(call(ollama({ fetch: failing('ECONNREFUSED') })))
    const reset = await errorOf(call(ollama({ fetch: failing('ECONNRESET') })))
    expect(refused).toMatchObject({ code: 'network', retryable: true })
    expect([refused, reset].map(({ message }) => message.includes('ollama serve'))).toEqual([true, false])
  })

  it('wants a key for ollama.com', () => {
    const provider = ollama({ serverUrl: 'ollama.com' })
    expect(() => provider.model('m')).toThrow(expect.objectContaining({ code: 'missing-key' }))
  })

  it('sends the user and password of its address as a header, and never shows them (Q22)', async () => {
    await using server = await loopback(json(401, { error: 'no hunter22 here' }))
    const serverUrl = server.baseURL.replace('http://', 'http://ann:hunter22@')
    const error = await errorOf(call(ollama({ serverUrl })))
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa('ann:hunter22')}`)
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain('hunter22')
  })

  it('uses a client of the SDK as it is, and leaves nothing in it', async () => {
    const { fetch, sent } = fakeFetch()
    const client = new Ollama({ host: 'http://gpu:8080', headers: { 'x-team': 'red' }, fetch })
    const before = Object.keys(client)
    await call(ollama({ client }))
    await call(ollama({ client }))
    expect(sent).toHaveLength(2)
    expect(sent[1]?.url).toBe('http://gpu:8080/api/chat')
    expect(sent[1]?.headers.get('x-team')).toBe('red')
    expect(Object.keys(client)).toEqual(before)
    expect(client).toHaveProperty('ongoingStreamedRequests', [])
  })

  it('reads no file, with our client and with the user’s own (Q76)', async () => {
    const { fetch, sent } = fakeFetch()
    const folder = cwd()
    chdir('/')
    try {
      // A path of letters and slashes is base64 too; there, the SDK would send the file.
      const image: Message = { role: 'user', content: [{ type: 'image', base64: 'etc/hostname' }] }
      await call(ollama({ client: new Ollama({ fetch }) }), [image])
      await call(ollama({ fetch }), [image])
    } finally {
      chdir(folder)
    }
    const messages = [{ role: 'user', content: '', images: ['etc/hostname'] }]
    expect(sent).toMatchObject([{ body: { messages } }, { body: { messages } }])
  })

  it('costs nothing, and knows the window that it is given (Q70)', async () => {
    const { fetch, sent } = fakeFetch()
    const model = ollama({ fetch }).model('m', { contextWindow: 8192, keepAlive: 60 })
    expect(model.id).toBe('ollama/m')
    expect(model.info).toEqual({
      contextWindow: 8192,
      nativeOutput: 'without-tools',
      price: { inputUsdPerMillion: 0, outputUsdPerMillion: 0, asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    })
    await Array.fromAsync(model.stream({ messages: [{ role: 'user', content: 'hi' }] }, signal))
    expect(sent[0]?.body).toMatchObject({ options: { num_ctx: 8192 }, keep_alive: 60 })
    expect(ollama().model('m').info).not.toHaveProperty('contextWindow')
  })

  it.each([{ contextWindow: 0 }, { contextWindow: 1.5 }, { firstByteTimeoutMs: 0 }])('refuses %o', (options) => {
    expect(() => ollama().model('m', options)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it('does not load the SDK before the first call', () => {
    const entry = fileURLToPath(new URL('./index.ts', import.meta.url))
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      const { ollama } = await import(${JSON.stringify(entry)})
      ollama().model('m')
      console.log(loaded.filter((url) => url.includes('node_modules/ollama')).length, loaded.length > 5)
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
  it('turns texts into vectors, and has none cut', async () => {
    await using server = await loopback(
      json(200, {
        model: 'm',
        embeddings: [
          [1, 0.5],
          [3, 0.5],
        ],
      }),
    )
    const embedder = ollama({ serverUrl: server.baseURL }).embedder('m', { dimensions: 2 })
    expect(embedder).toMatchObject({ id: 'ollama/m', dimensions: 2 })
    expect(await embedder.embed(['a', 'bbb'], signal)).toEqual([Float32Array.of(1, 0.5), Float32Array.of(3, 0.5)])
    expect(server.requests).toMatchObject([{ path: '/api/embed' }])
    expect(server.requests[0]?.body).toEqual({ model: 'm', input: ['a', 'bbb'], truncate: false, dimensions: 2 })
  })

  it('splits many texts', async () => {
    await using server = await loopback((response, request) => {
      const input = request.body.input as string[]
      json(200, { embeddings: input.map(() => [1]) })(response, request)
    })
    const embedder = ollama({ serverUrl: server.baseURL }).embedder('m')
    const texts = Array.from({ length: 129 }, () => 'a')
    expect(await embedder.embed(texts, signal)).toHaveLength(129)
    expect(server.requests.map(({ body }) => (body.input as string[]).length)).toEqual([128, 1])
  })

  it.each([
    { status: 404, body: { error: 'model "m" not found' }, code: 'model-not-found' },
    { status: 400, body: { error: 'the input length exceeds the context length' }, code: 'context-overflow' },
    { status: 200, body: { embeddings: [] }, code: 'malformed-stream' },
  ])('fails with $code', async ({ status, body, code }) => {
    await using server = await loopback(json(status, body))
    const embedder = ollama({ serverUrl: server.baseURL }).embedder('m')
    expect((await errorOf(embedder.embed(['a'], signal))).code).toBe(code)
  })
})
