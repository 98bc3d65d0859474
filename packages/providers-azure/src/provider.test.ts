import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { AzureOpenAI, OpenAI } from 'openai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { apiKey, ask, endpoint, fakeFetch } from './__fixtures__/fake-fetch.ts'
import { azure } from './provider.ts'

const variables = ['AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_ENDPOINT', 'OPENAI_API_VERSION', 'OPENAI_BASE_URL']

beforeEach(() => {
  for (const name of [...variables, 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID']) vi.stubEnv(name, undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('azure', () => {
  it.each([
    ['chat', {}, '/openai/deployments/dep/chat/completions?api-version=2025-04-01-preview'],
    ['responses', { api: 'responses' }, '/openai/responses?api-version=2025-04-01-preview'],
    ['chat of v1', { v1: true }, '/openai/v1/chat/completions'],
    ['responses of v1', { v1: true, api: 'responses' }, '/openai/v1/responses'],
  ] as const)('calls a deployment: %s', async (_name, options, path) => {
    const { fetch, sent } = fakeFetch()
    const { events } = await ask(fetch, { apiKey, ...options })
    expect(sent).toMatchObject([{ url: `${endpoint}${path}`, body: { model: 'dep', stream: true } }])
    expect(sent[0]?.headers.get('api-key')).toBe(apiKey)
    expect(sent[0]?.headers.get('authorization')).toBeNull()
    expect(events.at(-1)).toMatchObject({ type: 'finish', message: { model: 'azure/dep' } })
  })

  it.each([{}, { v1: true }])(
    'sends a fresh token of Entra in place of a key, also beside one in the environment: %o',
    async (options) => {
      const { fetch, sent } = fakeFetch()
      vi.stubEnv('AZURE_OPENAI_API_KEY', 'from-env')
      let asked = 0
      const provider = azure({ endpoint, fetch, azureADTokenProvider: async () => `token-${++asked}`, ...options })
      const { signal } = new AbortController()
      for (const _call of [1, 2]) {
        for await (const _event of provider
          .model('dep')
          .stream({ messages: [{ role: 'user', content: 'hi' }] }, signal));
      }
      expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer token-1', 'Bearer token-2'])
      expect(sent.map(({ headers }) => headers.get('api-key'))).toEqual([null, null])
    },
  )

  it('fails with `auth` when there is no token, and names the source of the failure', async () => {
    const azureADTokenProvider = (): Promise<string> => Promise.reject(new Error('Run az login.'))
    const { fetch, sent } = fakeFetch()
    const { error } = await ask(fetch, { azureADTokenProvider })
    expect(error).toMatchObject({
      code: 'auth',
      message: 'azureADTokenProvider gave no token: Run az login.',
      provider: 'azure',
      model: 'dep',
      retryable: false,
    })
    expect(sent).toEqual([])
  })

  it("takes everything from the environment, and nothing of OpenAI's own (Q32)", async () => {
    const { fetch, sent } = fakeFetch()
    vi.stubEnv('AZURE_OPENAI_API_KEY', 'from-env')
    vi.stubEnv('AZURE_OPENAI_ENDPOINT', 'https://env.openai.azure.com/')
    vi.stubEnv('OPENAI_API_VERSION', '2024-10-21')
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
    vi.stubEnv('OPENAI_ORG_ID', 'org-1')
    vi.stubEnv('OPENAI_PROJECT_ID', 'proj-1')
    const { signal } = new AbortController()
    const model = azure({ fetch }).model('dep')
    for await (const _event of model.stream({ messages: [{ role: 'user', content: 'hi' }] }, signal));
    expect(sent[0]?.url).toBe(
      'https://env.openai.azure.com/openai/deployments/dep/chat/completions?api-version=2024-10-21',
    )
    const names = [...(sent[0]?.headers.keys() ?? [])]
    expect(names).toContain('api-key')
    expect(names.filter((name) => name.startsWith('openai-'))).toEqual([])
  })

  const copied = ['/openai/deployments/x/chat/completions?api-version=2024-06-01', '/openai/responses?api-version=1']
  it('never exposes a secret header, after however many tokens', async () => {
    const fetch: typeof globalThis.fetch = async () =>
      Response.json({ error: { message: 'no: gateway-secret' } }, { status: 400 })
    let asked = 0
    const azureADTokenProvider = async (): Promise<string> => `opaque-token-${++asked}`
    const model = azure({ endpoint, fetch, azureADTokenProvider, headers: { 'x-api-key': 'gateway-secret' } }).model(
      'dep',
    )
    const call = async (): Promise<void> => {
      const { signal } = new AbortController()
      for await (const _event of model.stream({ messages: [{ role: 'user', content: 'hi' }] }, signal));
    }
    for (let count = 0; count < 25; count++) await expect(call()).rejects.toThrow('no: [redacted]')
  })

  it.each([undefined, ''])('fails in `auth` for the token %j', async (token) => {
    const { fetch } = fakeFetch()
    const azureADTokenProvider = async (): Promise<string> => token as string
    const { error } = await ask(fetch, { azureADTokenProvider })
    expect(error).toMatchObject({ code: 'auth', message: 'azureADTokenProvider gave no token: it returned no text.' })
  })

  it('never exposes a token of a token provider, for any answer of the server', async () => {
    const fetch = async (): Promise<Response> =>
      Response.json({ error: { message: 'no: opaque-token-1' } }, { status: 401 })
    const provider = azure({ endpoint, fetch, azureADTokenProvider: async () => 'opaque-token-1' })
    const stream = provider.model('dep').stream({ messages: [] }, new AbortController().signal)
    const error = await stream[Symbol.asyncIterator]()
      .next()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('[redacted]') })
    expect(inspect(error, { depth: 9 })).not.toContain('opaque-token-1')
  })

  it.each(['', '/', '/openai', '/openai/', '/openai/v1', '/openai/v1/', ...copied])(
    'takes an endpoint that was copied with "%s" at its end',
    async (end) => {
      const { fetch, sent } = fakeFetch()
      await ask(fetch, { apiKey, endpoint: `${endpoint}${end}` })
      await ask(fetch, { apiKey, endpoint: `${endpoint}${end}`, v1: true })
      expect(sent.map(({ url }) => url.slice(endpoint.length))).toEqual([
        '/openai/deployments/dep/chat/completions?api-version=2025-04-01-preview',
        '/openai/v1/chat/completions',
      ])
    },
  )

  it('keeps a name of a deployment together in the path', async () => {
    const { fetch, sent } = fakeFetch()
    const model = azure({ endpoint, apiKey, fetch }).model('my dep/2')
    for await (const _event of model.stream({ messages: [] }, new AbortController().signal));
    expect(sent[0]?.url).toContain('/deployments/my%20dep%2F2/chat/completions?')
  })

  it.each([
    ['a key', { endpoint }, 'missing-key', 'AZURE_OPENAI_API_KEY'],
    ['an endpoint', { apiKey }, 'invalid-config', 'AZURE_OPENAI_ENDPOINT'],
    ['an endpoint that is one', { apiKey, endpoint: 'res.openai.azure.com' }, 'invalid-config', 'https://'],
    [
      'one kind of credentials',
      { endpoint, apiKey, azureADTokenProvider: async () => 'token' },
      'invalid-config',
      'not both',
    ],
  ])('wants %s', (_name, options, code, fix) => {
    const error = expect.objectContaining({ code, provider: 'azure', message: expect.stringContaining(fix) })
    expect(() => azure(options).model('dep')).toThrow(error)
    expect(() => azure(options).embedder('dep')).toThrow(error)
  })

  it.each([
    ['of a resource', `${endpoint}/openai`, `${endpoint}/openai/deployments/dep/chat/completions`],
    ['of one deployment', `${endpoint}/openai/deployments/x`, `${endpoint}/openai/deployments/x/chat/completions`],
  ])('uses a client as it is given: %s', async (_name, baseURL, url) => {
    const { fetch, sent } = fakeFetch()
    const client = new AzureOpenAI({ apiKey: 'of-client', apiVersion: '2024-10-21', baseURL, fetch })
    const { error } = await ask(fetch, { client })
    expect(error).toBeUndefined()
    expect(sent[0]?.url).toBe(`${url}?api-version=2024-10-21`)
    expect(sent[0]?.headers.get('api-key')).toBe('of-client')
  })

  it.each<[string, () => Promise<Response>]>([
    ['an error of the server', async () => Response.json({ error: { message: 'down' } }, { status: 503 })],
    ['a connection that breaks', () => Promise.reject(new TypeError('fetch failed'))],
  ])('lets no client retry by itself after %s (Q15)', async (_what, fail) => {
    const fetch = vi.fn(fail)
    const client = new AzureOpenAI({ apiKey, endpoint, apiVersion: '2024-10-21', maxRetries: 2, fetch })
    expect(await ask(fetch, { client })).toMatchObject({ error: { retryable: true } })
    const embedder = azure({ client }).embedder('dep')
    await expect(embedder.embed(['a'], new AbortController().signal)).rejects.toMatchObject({ retryable: true })
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('treats a plain client as one of the v1 API', async () => {
    const { fetch, sent } = fakeFetch()
    const client = new OpenAI({ apiKey: 'of-client', baseURL: `${endpoint}/openai/v1`, fetch })
    await ask(fetch, { client })
    expect(sent[0]?.url).toBe(`${endpoint}/openai/v1/chat/completions`)
  })

  it.each([{}, { v1: true }])('sends the headers that it is given: %o', async (options) => {
    const { fetch, sent } = fakeFetch()
    await ask(fetch, { apiKey, headers: { 'x-team': 'blue' }, ...options })
    expect(sent[0]?.headers.get('x-team')).toBe('blue')
  })

  it.each([{}, { v1: true }])('aborts the request of a custom fetch: %o', async (options) => {
    const controller = new AbortController()
    let sentWith: AbortSignal | null | undefined
    const hanging: typeof fetch = (_input, init) => {
      sentWith = init?.signal
      controller.abort()
      return new Promise(() => {})
    }
    const model = azure({ endpoint, apiKey, fetch: hanging, ...options }).model('dep')
    const answer = model.stream({ messages: [] }, controller.signal)[Symbol.asyncIterator]().next()
    await expect(answer).rejects.toMatchObject({ code: 'aborted' })
    expect(sentWith?.aborted).toBe(true)
  })

  it('keeps a client of the dated API to it', async () => {
    const { fetch, sent } = fakeFetch()
    const client = new AzureOpenAI({ apiKey, endpoint, apiVersion: '2025-04-01-preview', fetch })
    await ask(fetch, { client, v1: true })
    expect(sent[0]?.url).toMatch(/\/openai\/deployments\/dep\/chat\/completions\?/)
  })

  it('uses a client of the user with the given API, and never exposes its key', async () => {
    const { fetch, sent } = fakeFetch('No of-a-client here.', { status: 400 })
    const client = new OpenAI({ apiKey: 'of-a-client', baseURL: `${endpoint}/openai`, fetch })
    const { error } = await ask(fetch, { client, v1: false })
    expect(String(error)).toMatch(/No .* here/)
    expect(sent[0]?.url).toBe(`${endpoint}/openai/deployments/dep/chat/completions`)
    expect(String(error)).not.toContain('of-a-client')
  })

  it('does not load the SDK before the first call', () => {
    const index = fileURLToPath(new URL('./index.ts', import.meta.url))
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) })
      const { azure } = await import(${JSON.stringify(index)})
      azure({ apiKey: 'abc', endpoint: 'https://a.b' }).model('m')
      console.log(loaded.includes('openai'), loaded.includes('@agentkit/wire'))`
    const flags = ['--conditions=@agentkit/source', '--input-type=module', '--eval', script]
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('false true')
  })
})
