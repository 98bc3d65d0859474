import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Message } from '@agentkit/core'
import { Anthropic } from '@anthropic-ai/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AnthropicProvider, anthropic } from './provider.ts'

type Sent = { url: string; headers: Headers; body: { [field: string]: unknown } }

const answer = [
  { type: 'message_start', message: { usage: { input_tokens: 1 } } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')

/** A fetch that answers, and keeps what was sent. */
function fakeFetch(): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = []
  const fake: typeof fetch = async (input, init) => {
    sent.push({ url: String(input), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) })
    return new Response(answer, { headers: { 'content-type': 'text/event-stream' } })
  }
  return { fetch: fake, sent }
}

async function call(provider: AnthropicProvider, model = 'claude-haiku-4-5', temperature?: number): Promise<void> {
  const { signal } = new AbortController()
  const request = {
    messages: [{ role: 'user' as const, content: 'hi' }],
    ...(temperature !== undefined && { temperature }),
  }
  for await (const _event of provider.model(model).stream(request, signal));
}

const names = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_PROFILE']

beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('anthropic', () => {
  it("sends the same as the SDK's own call: address, key, version of the API and body", async () => {
    const { fetch, sent } = fakeFetch()
    await call(anthropic({ apiKey: 'abc', fetch }))
    const sdk = new Anthropic({ apiKey: 'abc', fetch, maxRetries: 0 })
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]
    await sdk.messages.create({ model: 'claude-haiku-4-5', max_tokens: 64_000, messages, stream: true })
    const [ours, theirs] = sent.map(({ url, headers, body }) => {
      headers.delete('x-stainless-timeout')
      return { url, headers: Object.fromEntries(headers), body }
    })
    expect(ours).toEqual(theirs)
    expect(ours).toMatchObject({
      url: 'https://api.anthropic.com/v1/messages',
      headers: { authorization: 'Bearer abc', 'anthropic-version': '2026-10-21', 'content-type': 'application/json' },
      body: { stream: true },
    })
  })

  it('uses the older version of the API for a temperature, which the newer one does not have (Q41)', async () => {
    const { fetch, sent } = fakeFetch()
    await call(anthropic({ apiKey: 'abc', fetch }), 'claude-haiku-4-5', 0.5)
    await call(anthropic({ apiKey: 'abc', fetch }), 'claude-opus-4-7', 0.5)
    expect(sent.map(({ headers, body }) => [headers.get('anthropic-version'), body.temperature])).toEqual([
      ['2023-06-01', 0.5],
      ['2026-10-21', undefined],
    ])
  })

  it.each([
    ['the option first', { option: 'from-option', variable: 'from-variable' }, 'from-option'],
    ['then ANTHROPIC_API_KEY', { variable: 'from-variable' }, 'from-variable'],
    ['and skips what is blank', { option: ' ', variable: ' from-variable\n' }, 'from-variable'],
  ])('takes the key from %s', async (_name, { option, variable }: Record<string, string>, key) => {
    const { fetch, sent } = fakeFetch()
    vi.stubEnv('ANTHROPIC_API_KEY', variable)
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'a-token')
    await call(anthropic({ fetch, ...(option && { apiKey: option }) }))
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${key}`)
  })

  it('requires a key when a model is created, and searches no other place', () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'a-token')
    vi.stubEnv('ANTHROPIC_PROFILE', 'default')
    const provider = anthropic()
    expect(() => provider.model('claude-haiku-4-5')).toThrow(
      expect.objectContaining({ code: 'missing-key', message: expect.stringContaining('ANTHROPIC_API_KEY') }),
    )
  })

  it('needs no key on another server, and sends it none that is real', async () => {
    const { fetch, sent } = fakeFetch()
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'a-token')
    await call(anthropic({ baseURL: 'http://127.0.0.1:9', fetch }))
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer no-key')
  })

  it.each([
    ['the option first', { option: 'http://127.0.0.1:9', variable: 'http://127.0.0.1:8' }, 'http://127.0.0.1:9'],
    ['then ANTHROPIC_BASE_URL', { variable: 'http://127.0.0.1:8' }, 'http://127.0.0.1:8'],
  ])('takes the address from %s', async (_name, { option, variable }: Record<string, string>, address) => {
    const { fetch, sent } = fakeFetch()
    vi.stubEnv('ANTHROPIC_BASE_URL', variable)
    await call(anthropic({ apiKey: 'abc', fetch, ...(option && { baseURL: option }) }))
    expect(sent[0]?.url).toBe(`${address}/v1/messages`)
  })

  it('sends its headers with every request', async () => {
    const { fetch, sent } = fakeFetch()
    await call(anthropic({ apiKey: 'abc', headers: { 'x-team': 'blue' }, fetch }))
    expect(sent[0]?.headers.get('x-team')).toBe('blue')
  })

  it('uses a client of your own as it is', async () => {
    const { fetch, sent } = fakeFetch()
    const client = new Anthropic({ authToken: 'a-token', baseURL: 'http://127.0.0.1:7', fetch })
    await call(anthropic({ client, apiKey: 'not-used' }))
    expect(sent.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      ['http://127.0.0.1:7/v1/messages', 'Bearer a-token'],
    ])
  })

  it.each<[string, (fetch: typeof globalThis.fetch) => AnthropicProvider]>([
    ['a fetch of your own', (fetch) => anthropic({ apiKey: 'abc', fetch })],
    ['a client of your own', (fetch) => anthropic({ client: new Anthropic({ apiKey: 'abc', fetch }) })],
  ])('aborts what %s sends', async (_name, make) => {
    const controller = new AbortController()
    let sentWith: AbortSignal | null | undefined
    const provider = make((_input, init) => {
      sentWith = init?.signal
      controller.abort()
      return new Promise(() => {})
    })
    const answer = provider
      .model('claude-haiku-4-5')
      .stream({ messages: [] }, controller.signal)
      [Symbol.asyncIterator]()
      .next()
    await expect(answer).rejects.toMatchObject({ code: 'aborted' })
    expect(sentWith?.aborted).toBe(true)
  })

  it('lets no client retry by itself (Q15)', async () => {
    const fetch = vi.fn(async () => Response.json({ error: { message: 'down' } }, { status: 500 }))
    const client = new Anthropic({ apiKey: 'abc', maxRetries: 2, fetch })
    await expect(call(anthropic({ client }))).rejects.toThrow('down')
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('adds no beta feature to those of a client of your own', async () => {
    const { fetch, sent } = fakeFetch()
    const client = new Anthropic({ apiKey: 'abc', fetch })
    const opaque = { owner: 'anthropic/claude-opus-5-5', data: { signature: 'abc' } }
    const messages: Message[] = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '', opaque },
          { type: 'text', text: 'hello' },
        ],
      },
    ]
    const { signal } = new AbortController()
    for await (const _event of anthropic({ client }).model('claude-opus-5-5').stream({ messages }, signal));
    expect(sent[0]?.headers.get('anthropic-beta')).toBeNull()
  })

  it('hints at a base URL that is too long', async () => {
    const body = { type: 'error', error: { type: 'not_found_error', message: 'Not Found' } }
    const fetch = async (): Promise<Response> => Response.json(body, { status: 404 })
    await expect(call(anthropic({ apiKey: 'abc', baseURL: 'http://127.0.0.1:9/v1', fetch }))).rejects.toThrow(
      'leave out /v1',
    )
  })

  it.each([
    [
      'a limit on spending',
      429,
      'rate_limit_error',
      'enforced_spend_limit_reached',
      { code: 'quota', retryable: false },
    ],
    ['a bill', 400, 'invalid_request_error', 'billing_disabled', { code: 'quota', retryable: false }],
    ['a rate', 429, 'rate_limit_error', undefined, { code: 'rate-limit', retryable: true }],
    ['an overload (Q37)', 529, 'overloaded_error', undefined, { code: 'overloaded', retryable: true }],
  ])('identifies %s by its cause', async (_name, status, type, error_code, expected) => {
    const error = { type, message: 'Refused.', ...(error_code && { details: { error_code } }) }
    const fetch = async (): Promise<Response> => Response.json({ type: 'error', error }, { status })
    await expect(call(anthropic({ apiKey: 'abc', fetch }))).rejects.toMatchObject(expected)
  })

  it.each([
    ['permission_error', 403, 'ANTHROPIC_API_KEY'],
    ['api_error', 500, 'leave out /v1'],
  ])('gives no advice after %s that does not help', async (type, status, advice) => {
    const error = { type, message: 'Refused.', details: { error_code: 'region_closed' } }
    const fetch = async (): Promise<Response> => Response.json({ type: 'error', error }, { status })
    const failed = call(anthropic({ apiKey: 'abc', baseURL: 'http://127.0.0.1:9/v1', fetch }))
    await expect(failed).rejects.toThrow('Refused.')
    await expect(failed).rejects.not.toThrow(advice)
    await expect(failed).rejects.not.toMatchObject({ code: 'quota' })
  })

  it('never exposes the token of a client of the user', async () => {
    const fetch = async (): Promise<Response> => Response.json({ message: 'No a-secret-token.' }, { status: 400 })
    const client = new Anthropic({ authToken: 'a-secret-token', fetch })
    await expect(call(anthropic({ client }))).rejects.not.toThrow('a-secret-token')
  })

  it('has no embeddings, and names providers that have', () => {
    expect(() => anthropic({ apiKey: 'abc' }).embedder('claude-haiku-4-5')).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('OpenAI') }),
    )
  })

  it('has the facts of a model, or the request limits of one that is not listed', () => {
    const { model } = anthropic({ apiKey: 'abc' })
    expect(model('claude-haiku-4-5-20251001').info).toMatchObject({ contextWindow: 200_000, nativeOutput: 'always' })
    expect(model('claude-nova-9').info).toEqual({ maxOutputTokens: 64_000, nativeOutput: 'always' })
    expect(model('kimi-k3').info).toEqual({ maxOutputTokens: 8_192, nativeOutput: 'never' })
  })

  it('leaves the SDK alone until the first call', () => {
    const script = `
      import { registerHooks } from 'node:module'
      const asked = []
      registerHooks({ resolve: (name, context, next) => (asked.push(name), next(name, context)) })
      const { anthropic } = await import(${JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)))})
      const { model } = anthropic({ apiKey: 'abc', fetch: () => Promise.reject(new Error('no')) })
      const claude = model('claude-haiku-4-5')
      const isSdkAsked = () => asked.some((name) => name.startsWith('@anthropic-ai/'))
      const before = isSdkAsked()
      await claude.stream({ messages: [] }, new AbortController().signal).next().catch(() => {})
      console.log(before, isSdkAsked())`
    const flags = ['--conditions=@agentkit/source', '--input-type=module', '-e', script]
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('false true')
  })
})
