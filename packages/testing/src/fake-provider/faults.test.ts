import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { fakeProvider } from './fake-provider.ts'
import type { FakeAnswer, FakeStatus, FakeTurn, StreamFault, Transport } from './wires/script.ts'

const user: { role: 'user'; content: string } = { role: 'user', content: 'Hello' }
const text = 'Grüße, 世界 👋'

type Outcome = { said: string; error?: unknown }
type Ask = (client: OpenAI, signal?: AbortSignal, onSaid?: (said: string) => void) => Promise<Outcome>

/** Streams one answer, and returns what arrived before it ended or failed. */
const wires: Record<'chat' | 'responses', Ask> = {
  chat: (client, signal, onSaid) =>
    listen(onSaid, async (say) => {
      const body = { model: 'gpt-4.1', messages: [user], stream: true as const }
      for await (const chunk of await client.chat.completions.create(body, { signal: signal ?? null })) {
        say(chunk.choices[0]?.delta.content ?? '')
      }
    }),
  responses: (client, signal, onSaid) =>
    listen(onSaid, async (say) => {
      const body = { model: 'gpt-5.2', input: [user], stream: true as const }
      for await (const event of await client.responses.create(body, { signal: signal ?? null })) {
        if (event.type === 'response.output_text.delta') say(event.delta)
        if (event.type === 'response.failed') say(`[${event.response.error?.code}]`)
      }
    }),
}

async function listen(
  onSaid: ((said: string) => void) | undefined,
  stream: (say: (delta: string) => void) => Promise<void>,
): Promise<Outcome> {
  let said = ''
  try {
    await stream((delta) => {
      said += delta
      onSaid?.(said)
    })
    return { said }
  } catch (error) {
    return { said, error }
  }
}

async function start(turn: FakeTurn) {
  const server = await fakeProvider('openai-responses', [turn])
  const client = new OpenAI({ apiKey: 'sk-test', baseURL: server.url, maxRetries: 0, logLevel: 'off' })
  return { client, server, [Symbol.asyncDispose]: () => server.close() }
}

describe.each(['chat', 'responses'] as const)('over %s', (wire) => {
  const ask = wires[wire]

  it.each<[FakeStatus, unknown]>([
    [
      { status: 400, code: 'context_length_exceeded' },
      { status: 400, code: 'context_length_exceeded' },
    ],
    [{ status: 401 }, { status: 401, code: 'invalid_api_key', type: 'invalid_request_error' }],
    [{ status: 404 }, { status: 404, code: 'model_not_found' }],
    [
      { status: 429, retryAfter: 7 },
      { status: 429, code: 'rate_limit_exceeded' },
    ],
    [
      { status: 429, code: 'insufficient_quota' },
      { status: 429, type: 'insufficient_quota' },
    ],
    [{ status: 500 }, { status: 500, type: 'server_error' }],
    [{ status: 503 }, { status: 503 }],
    [{ status: 529 }, { status: 529, type: 'overloaded_error' }],
    [
      { status: 418, message: 'teapot', code: null, headers: { 'x-own': 'yes' } },
      { status: 418, code: null },
    ],
    [{ status: 502, body: '<html>Bad Gateway</html>' }, { status: 502 }],
  ])('answers the status %j', async (turn, expected) => {
    await using fake = await start(turn)
    const { said, error } = await ask(fake.client)
    expect(said).toBe('')
    expect(error).toMatchObject(expected as object)
    const headers = (error as InstanceType<typeof OpenAI.APIError>).headers
    expect(headers?.get('x-request-id')).toMatch(/^req_/)
    expect(headers?.get('retry-after')).toBe(turn.retryAfter === undefined ? null : String(turn.retryAfter))
    for (const [name, value] of Object.entries(turn.headers ?? {})) expect(headers?.get(name)).toBe(value)
  })

  it('hangs before the headers until the client gives up', async () => {
    await using fake = await start({ fault: 'hang-before-headers' })
    const controller = new AbortController()
    const outcome = ask(fake.client, controller.signal)
    while (fake.server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    controller.abort()
    expect((await outcome).error).toBeInstanceOf(OpenAI.APIUserAbortError)
    await fake.server.requests[0]?.closed
    expect(fake.server.requests[0]?.aborted).toBe(true)
  })

  it('resets the connection before an answer', async () => {
    await using fake = await start({ fault: 'reset' })
    expect((await ask(fake.client)).error).toBeInstanceOf(OpenAI.APIConnectionError)
    await fake.server.requests[0]?.closed
    expect(fake.server.requests[0]?.aborted).toBe(false)
  })

  it('hangs in mid-stream, and reports that the client disconnected', async () => {
    await using fake = await start({ text, fault: 'hang' })
    const controller = new AbortController()
    const outcome = ask(fake.client, controller.signal, (said) => {
      if (said === text) controller.abort()
    })
    expect((await outcome).said).toBe(text)
    await fake.server.requests[0]?.closed
    expect(fake.server.requests[0]?.aborted).toBe(true)
  })

  it('resets the connection inside a frame', async () => {
    await using fake = await start({ text, fault: 'cut' })
    const { said, error } = await ask(fake.client)
    expect(said).toBe(text)
    expect(error).toMatchObject({ name: 'TypeError', message: 'terminated' })
  })

  it.each<[StreamFault, 'ends' | 'fails']>([
    ['early-eof', 'ends'],
    ['eof-in-frame', 'fails'],
    ['error-frame', 'fails'],
  ])('breaks a stream by %s, and the SDK %s', async (fault, how) => {
    await using fake = await start({ text, fault })
    const { said, error } = await ask(fake.client)
    expect(said).toBe(text)
    expect(error === undefined ? 'ends' : 'fails').toBe(how)
  })

  it('sends a frame that is not JSON', async () => {
    await using fake = await start({ text, fault: 'garbage-frame' })
    expect((await ask(fake.client)).error).toBeInstanceOf(SyntaxError)
  })

  it('fails after the given number of frames', async () => {
    await using fake = await start({ text, fault: 'early-eof', faultAfter: 1 })
    expect(await ask(fake.client)).toEqual({ said: '' })
  })

  it('answers with an HTML page', async () => {
    await using fake = await start({ fault: 'html' })
    expect((await ask(fake.client)).said).toBe('')
  })

  it.each<[string, Transport]>([
    ['byte by byte', { writes: 'byte' }],
    ['with characters cut in two', { writes: 'split-characters' }],
    ['with CRLF', { lineEnd: '\r\n' }],
    ['byte by byte with CRLF', { lineEnd: '\r\n', writes: 'byte' }],
    ['slowly', { delayMs: 5 }],
  ])('streams %s', async (_, transport) => {
    await using fake = await start({ text, ...transport })
    expect(await ask(fake.client)).toEqual({ said: text })
    expect(fake.server.requests[0]?.aborted).toBe(false)
  })
})

it('puts the fields of a flat error frame at the top level', async () => {
  await using fake = await start({ text, fault: 'flat-error-frame' })
  const body = { model: 'gpt-5.2', input: 'Hello', stream: true }
  expect(await rawText(fake.server.url, '/responses', body)).toContain('data: {"type":"error","code":"server_error"')
})

it('ends a Responses stream as failed', async () => {
  await using fake = await start({ text, fault: 'failed' })
  expect((await wires.responses(fake.client)).said).toBe(`${text}[server_error]`)
})

it('loses no bytes of a stream that is split inside its characters', async () => {
  await using fake = await start({ text, writes: 'split-characters' })
  const answer = await rawResponse(fake.server.url, '/chat/completions', {
    model: 'gpt-4.1',
    messages: [user],
    stream: true,
  })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let broken = 0
  for await (const bytes of answer.body ?? []) {
    try {
      decoder.decode(bytes)
    } catch {
      broken++
    }
  }
  expect(broken).toBeGreaterThan(0)
})

it.each<[StreamFault, string | RegExp]>([
  ['garbage-frame', '{"id": not json'],
  ['eof-in-frame', /^\{"id":"chatcmpl-[^}]*/],
  ['error-frame', /^\{"error":/],
])('breaks an answer that does not stream by %s', async (fault, body) => {
  await using fake = await start({ text, fault } satisfies FakeAnswer)
  const answer = await rawText(fake.server.url, '/chat/completions', { model: 'gpt-4.1', messages: [user] })
  expect(answer).toMatch(body)
})

function rawResponse(url: string, path: string, body: object): Promise<Response> {
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function rawText(url: string, path: string, body: object): Promise<string> {
  return (await rawResponse(url, path, body)).text()
}
