import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Model, ModelRequest } from '@agentkit/core'
import { json, loopback } from '@agentkit/test-loopback'
import { GoogleGenAI } from '@google/genai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { candidate, chunks, googleError, sse, streaming } from './__fixtures__/loopback.ts'
import { gemini } from './provider.ts'

const apiKey = 'test-key-5f3a9c'
const hello = [candidate([{ text: 'Hel' }]), candidate([{ text: 'lo' }], 'STOP')]

beforeEach(() => {
  for (const name of ['GOOGLE_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function stream(model: Model, rest: Partial<ModelRequest> = {}, signal = new AbortController().signal) {
  return model.stream({ messages: [{ role: 'user', content: 'hi' }], ...rest }, signal)
}

describe('a model', () => {
  it('streams an answer by the official SDK, which prints nothing', async () => {
    const said = (['log', 'warn', 'error', 'debug', 'info'] as const).map((name) => vi.spyOn(console, name))
    vi.stubEnv('GOOGLE_API_KEY', 'one')
    vi.stubEnv('GEMINI_API_KEY', 'two')
    await using server = await loopback(chunks(...hello))
    const model = gemini({ apiKey, baseURL: `${server.baseURL}/`, headers: { 'x-team': 'blue' } }).model(
      'gemini-3.5-flash',
    )
    expect(await Array.fromAsync(stream(model))).toMatchObject([
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo' },
      { type: 'finish', reason: 'stop', message: { model: 'gemini/gemini-3.5-flash', content: [{ text: 'Hello' }] } },
    ])
    expect(server.requests).toMatchObject([
      {
        path: '/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse',
        headers: {
          'x-goog-api-key': apiKey,
          'x-team': 'blue',
          'x-goog-api-client': expect.stringContaining('google-genai-sdk'),
        },
        body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      },
    ])
    for (const method of said) expect(method).not.toHaveBeenCalled()
  })

  it('sends the settings in their places', async () => {
    await using server = await loopback(chunks(...hello))
    const model = gemini({ apiKey, baseURL: server.baseURL }).model('gemini-3.5-flash')
    await Array.fromAsync(
      stream(model, {
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'hi' },
        ],
        tools: [{ name: 'now', description: 'Tells the time.', inputSchema: {} }],
        toolChoice: 'required',
        output: { type: 'object', properties: { a: { type: 'string' } } },
        maxOutputTokens: 9,
        temperature: 1,
        stop: ['x'],
        reasoning: 'low',
      }),
    )
    expect(server.requests[0]?.body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      tools: [{ functionDeclarations: [{ name: 'now', description: 'Tells the time.' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: {
        maxOutputTokens: 9,
        temperature: 1,
        stopSequences: ['x'],
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
        thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
      },
    })
  })

  it('sends calls, results and their images as Gemini wants them back', async () => {
    await using server = await loopback(chunks(...hello))
    const model = gemini({ apiKey, baseURL: server.baseURL }).model('gemini-3.5-flash')
    const opaque = { owner: model.id, data: { thoughtSignature: 'c2ln' } }
    await Array.fromAsync(
      stream(model, {
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: [{ type: 'tool-call', callId: 'c1', name: 'look', input: { at: 1 }, opaque }] },
          { role: 'tool', callId: 'c1', name: 'look', content: [{ type: 'image', base64: '/9j/' }] },
        ],
      }),
    )
    expect(server.requests[0]?.body.contents).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [{ functionCall: { id: 'c1', name: 'look', args: { at: 1 } }, thoughtSignature: 'c2ln' }],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'c1',
              name: 'look',
              response: { output: '[image: see the parts of this result]' },
              parts: [{ inlineData: { mimeType: 'image/jpeg', data: '/9j/' } }],
            },
          },
        ],
      },
    ])
  })

  it.each([
    ['as one document', { ...candidate([{ text: 'Hello' }], 'STOP') }],
    ['as a list', hello],
  ])('reads an answer that comes %s', async (_name, body) => {
    await using server = await loopback(json(200, body))
    const events = await Array.fromAsync(stream(gemini({ apiKey, baseURL: server.baseURL }).model('m')))
    expect(events.at(-1)).toMatchObject({ message: { content: [{ text: 'Hello' }] } })
  })

  it('warns of omitted content before it answers', async () => {
    await using server = await loopback(chunks(...hello))
    const model = gemini({ apiKey, baseURL: server.baseURL }).model('gemini-2.5-pro')
    const events = await Array.fromAsync(stream(model, { reasoning: 'none' }))
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('sent as 128 tokens') })
  })

  it('refuses as Google does, with the wait that Google asks for (Q65)', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }]
    await using server = await loopback(json(429, googleError(429, 'RESOURCE_EXHAUSTED', 'Too many.', details)))
    await expect(Array.fromAsync(stream(gemini({ apiKey, baseURL: server.baseURL }).model('m')))).rejects.toMatchObject(
      {
        code: 'rate-limit',
        status: 429,
        retryable: true,
        retryAfterMs: 34_000,
        provider: 'gemini',
        model: 'm',
      },
    )
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['cut inside an event', sse(hello[0]) + sse(hello[1]).slice(0, 30)],
    ['over before its finish (Q10)', sse(hello[0])],
  ])('fails when the answer is %s', async (_name, text) => {
    await using server = await loopback((response) => streaming(response).end(text))
    await expect(Array.fromAsync(stream(gemini({ apiKey, baseURL: server.baseURL }).model('m')))).rejects.toMatchObject(
      {
        code: 'incomplete-stream',
      },
    )
  })

  it('fails on an event that is not JSON', async () => {
    await using server = await loopback(chunks(hello[0], '{"candidates": [oops', hello[1]))
    await expect(Array.fromAsync(stream(gemini({ apiKey, baseURL: server.baseURL }).model('m')))).rejects.toMatchObject(
      {
        code: 'malformed-stream',
      },
    )
  })

  it('closes the connection when it is aborted (Q11)', async () => {
    await using server = await loopback((response) => void streaming(response).write(sse(hello[0])))
    const controller = new AbortController()
    const events = stream(gemini({ apiKey, baseURL: server.baseURL }).model('m'), {}, controller.signal)
    await expect(
      (async () => {
        for await (const _event of events) controller.abort()
      })(),
    ).rejects.toMatchObject({ code: 'aborted' })
    await server.closed
  })

  it('closes the connection when its reader leaves (Q12)', async () => {
    await using server = await loopback((response) => void streaming(response).write(sse(hello[0])))
    for await (const event of stream(gemini({ apiKey, baseURL: server.baseURL }).model('m'))) {
      expect(event).toMatchObject({ text: 'Hel' })
      break
    }
    await server.closed
  })

  it('closes the connection of an answer that does not begin', async () => {
    await using server = await loopback(() => {})
    const model = gemini({ apiKey, baseURL: server.baseURL }).model('m', { firstByteTimeoutMs: 30 })
    await expect(Array.fromAsync(stream(model))).rejects.toMatchObject({ code: 'timeout', phase: 'first-byte' })
    await server.closed
  })

  it('makes no request when it is aborted before', async () => {
    await using server = await loopback(chunks(...hello))
    const model = gemini({ apiKey, baseURL: server.baseURL }).model('m')
    await expect(Array.fromAsync(stream(model, {}, AbortSignal.abort()))).rejects.toMatchObject({ code: 'aborted' })
    expect(server.requests).toEqual([])
  })

  it('reports that no server answers', async () => {
    const model = gemini({ apiKey, baseURL: 'http://127.0.0.1:9' }).model('m')
    await expect(Array.fromAsync(stream(model))).rejects.toMatchObject({ code: 'network', retryable: true })
  })

  it('has one name, with and without "models/"', async () => {
    await using server = await loopback(chunks(...hello))
    const model = gemini({ apiKey, baseURL: server.baseURL }).model('models/gemini-3.5-flash')
    await Array.fromAsync(stream(model))
    expect(model.id).toBe('gemini/gemini-3.5-flash')
    expect(server.requests[0]?.path).toContain('/models/gemini-3.5-flash:')
  })

  it('does not send files that it cannot read', async () => {
    await using server = await loopback(chunks(...hello))
    const image = { type: 'image' as const, base64: 'R0lGOD' }
    const model = gemini({ apiKey, baseURL: server.baseURL }).model('gemini-3.5-flash')
    const events = await Array.fromAsync(stream(model, { messages: [{ role: 'user', content: [image] }] }))
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('image/gif') })
    expect(JSON.stringify(server.requests[0]?.body)).toContain('[image left out]')
  })

  it('does not send files that the model is known not to read', async () => {
    await using server = await loopback(chunks(...hello))
    const file = { type: 'file' as const, base64: 'JVBERi0=', mediaType: 'application/pdf', name: 'a.pdf' }
    const image = { type: 'image' as const, base64: '/9j/' }
    const clip = { type: 'file' as const, base64: 'AAAA', mediaType: 'audio/mpeg' }
    const model = gemini({ apiKey, baseURL: server.baseURL }).model('gemma-4-31b-it')
    const events = await Array.fromAsync(stream(model, { messages: [{ role: 'user', content: [file, image, clip] }] }))
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('does not read files') })
    expect(server.requests[0]?.body.contents).toEqual([
      {
        role: 'user',
        parts: [
          { text: '[file "a.pdf" left out]' },
          { inlineData: { mimeType: 'image/jpeg', data: '/9j/' } },
          { inlineData: { mimeType: 'audio/mpeg', data: 'AAAA' } },
        ],
      },
    ])
  })
})

describe('the connection', () => {
  const sent = (): { fetch: typeof fetch; urls: string[]; keys: (string | null)[] } => {
    const urls: string[] = []
    const keys: (string | null)[] = []
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      urls.push(String(input))
      keys.push(new Headers(init?.headers).get('x-goog-api-key'))
      // A dispatcher of the SDK's own would lead round the user's.
      expect(init).not.toHaveProperty('dispatcher')
      return new Response(sse(...hello), { headers: { 'content-type': 'text/event-stream' } })
    }
    return { fetch, urls, keys }
  }

  it.each([
    ['the option first', { option: 'from-option', google: 'from-google', gemini: 'from-gemini' }, 'from-option'],
    ['then GOOGLE_API_KEY', { google: 'from-google', gemini: 'from-gemini' }, 'from-google'],
    ['then GEMINI_API_KEY', { google: ' ', gemini: 'from-gemini' }, 'from-gemini'],
  ])('takes its key from %s', async (_name, values: Record<string, string>, key) => {
    const { fetch, keys } = sent()
    vi.stubEnv('GOOGLE_API_KEY', values.google)
    vi.stubEnv('GEMINI_API_KEY', values.gemini)
    await Array.fromAsync(stream(gemini({ fetch, ...(values.option && { apiKey: values.option }) }).model('m')))
    expect(keys).toEqual([key])
  })

  it('calls Google, or the given address', async () => {
    const { fetch, urls } = sent()
    await Array.fromAsync(stream(gemini({ apiKey, fetch }).model('m')))
    vi.stubEnv('GOOGLE_GEMINI_BASE_URL', 'http://127.0.0.1:8')
    await Array.fromAsync(stream(gemini({ apiKey, fetch }).model('m')))
    await Array.fromAsync(stream(gemini({ apiKey, fetch, baseURL: 'http://127.0.0.1:7' }).model('m')))
    expect(urls.map((url) => new URL(url).origin)).toEqual([
      'https://generativelanguage.googleapis.com',
      'http://127.0.0.1:8',
      'http://127.0.0.1:7',
    ])
  })

  it('is not led to Vertex by the environment', async () => {
    const { fetch, urls } = sent()
    vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true')
    vi.stubEnv('GOOGLE_GENAI_USE_ENTERPRISE', 'true')
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'project')
    vi.stubEnv('GOOGLE_GENAI_API_VERSION', 'v9')
    await Array.fromAsync(stream(gemini({ apiKey, fetch }).model('m')))
    expect(urls).toEqual(['https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse'])
  })

  it('misses a key when a model is made, and names both variables', () => {
    const missing = expect.objectContaining({
      code: 'missing-key',
      message: expect.stringMatching(/GOOGLE_API_KEY.*GEMINI_API_KEY/),
    })
    expect(() => gemini().model('m')).toThrow(missing)
    expect(() => gemini().embedder('m')).toThrow(missing)
  })

  it('takes a key that is set after the provider was made', () => {
    const provider = gemini()
    vi.stubEnv('GEMINI_API_KEY', 'late')
    expect(provider.model('m').id).toBe('gemini/m')
  })

  it('refuses an address that is none', () => {
    expect(() => gemini({ apiKey, baseURL: 'localhost' }).model('m')).toThrow(
      expect.objectContaining({ code: 'invalid-config' }),
    )
  })

  it('refuses a timeout that is none', () => {
    expect(() => gemini({ apiKey }).model('m', { idleTimeoutMs: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('uses a client as it is given: its key, address and fetch', async () => {
    const { fetch, urls, keys } = sent()
    const client = new GoogleGenAI({ apiKey: 'of-client', httpOptions: { baseUrl: 'http://127.0.0.1:6', fetch } })
    await Array.fromAsync(stream(gemini({ client }).model('m')))
    expect(urls).toEqual([expect.stringMatching('^http://127.0.0.1:6/')])
    expect(keys).toEqual(['of-client'])
  })

  it('never exposes the key of a client (Q22)', async () => {
    await using server = await loopback(json(400, googleError(400, 'INVALID_ARGUMENT', 'Bad key of-client-5f3a.')))
    const client = new GoogleGenAI({ apiKey: 'of-client-5f3a', httpOptions: { baseUrl: server.baseURL } })
    await expect(Array.fromAsync(stream(gemini({ client }).model('m')))).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.not.stringContaining('of-client-5f3a'),
    })
  })

  it('uses a client of Vertex', async () => {
    const { fetch, urls } = sent()
    const client = new GoogleGenAI({ vertexai: true, apiKey: 'express', httpOptions: { fetch } })
    await Array.fromAsync(stream(gemini({ client }).model('gemini-3.5-flash')))
    expect(urls).toEqual([expect.stringContaining('aiplatform.googleapis.com')])
  })

  it('lets no client retry by itself (Q15)', async () => {
    await using server = await loopback(json(503, googleError(503, 'UNAVAILABLE', 'Overloaded.')))
    const httpOptions = { baseUrl: server.baseURL, retryOptions: { attempts: 3, initialDelay: 0.001 } }
    const client = new GoogleGenAI({ apiKey: 'of-client', httpOptions })
    await expect(Array.fromAsync(stream(gemini({ client }).model('m')))).rejects.toMatchObject({ code: 'overloaded' })
    const embedder = gemini({ client }).embedder('gemini-embedding-001')
    await expect(embedder.embed(['a'], new AbortController().signal)).rejects.toMatchObject({ code: 'overloaded' })
    expect(server.requests).toHaveLength(2)
  })

  it('knows the abilities of a model (Q63)', () => {
    const provider = gemini({ apiKey })
    expect(provider.model('gemini-3.5-flash').info).toMatchObject({
      contextWindow: expect.any(Number),
      price: { inputUsdPerMillion: expect.any(Number) },
      nativeOutput: 'always',
    })
    expect(provider.model('gemini-2.5-flash').info).toMatchObject({ nativeOutput: 'without-tools' })
    expect(provider.model('gemma-3-27b-it').info).toMatchObject({ nativeOutput: 'never' })
    expect(provider.model('gemini-9-brand-new').info).toEqual({ nativeOutput: 'always' })
  })

  it('does not load the SDK before the first call', () => {
    const index = fileURLToPath(new URL('./index.ts', import.meta.url))
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) })
      const { gemini } = await import(${JSON.stringify(index)})
      gemini({ apiKey: 'abc' }).model('m')
      console.log(loaded.some((name) => name.startsWith('@google')), loaded.includes('@agentkit/wire'))`
    const flags = ['--conditions=@agentkit/source', '--input-type=module', '--eval', script]
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('false true')
  })
})
