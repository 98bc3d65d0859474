import { createServer } from 'node:net'
import { tool } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { type FakeTurn, fakeProvider } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { eventsIn, expectFailure, modelAt, servedAgents } from '../__fixtures__/served-agent.ts'

const serveAgent = servedAgents()
const once = { retry: { attempts: 1 } }
const text = 'Grüße, 世界 👋'

describe('a provider that refuses', () => {
  it('F1 with 429 and Retry-After is asked again after that time', async () => {
    const askedAt: number[] = []
    const { ask } = await serveAgent((_request, index) => {
      askedAt.push(performance.now())
      return index === 0 ? { status: 429, retryAfter: 1 } : 'Fine.'
    })
    expect(await (await ask()).json()).toMatchObject({ answer: 'Fine.' })
    const [first = 0, second = 0] = askedAt
    // Timers of Node may fire a millisecond early.
    expect(second - first).toBeGreaterThanOrEqual(995)
  })

  it('F2 with 429 without end is 503 after four attempts, with its Retry-After', async () => {
    const served = await serveAgent([...Array<FakeTurn>(4).fill({ status: 429 }), 'Fine.'])
    const response = await served.ask()
    expect(response.headers.get('retry-after')).toBe('5')
    expect(served.provider.requests).toHaveLength(4)
    await expectFailure(served, response, 503, 'rate-limit')
  })

  it('F2 without further attempts is 503 with the Retry-After of the provider', async () => {
    const served = await serveAgent([{ status: 429, retryAfter: 3_600 }, 'Fine.'], { agent: once })
    const response = await served.ask()
    expect(response.headers.get('retry-after')).toBe('3600')
    await expectFailure(served, response, 503, 'rate-limit')
  })

  it('F2 with a Retry-After beyond the deadline of the run ends at the deadline', async () => {
    const served = await serveAgent([{ status: 429, retryAfter: 30 }, 'Fine.'], {
      server: { limits: { deadlineMs: 300 } },
    })
    await expectFailure(served, await served.ask(), 504, 'timeout')
  })

  it('F3 with 500 twice is asked three times', async () => {
    const { ask, provider } = await serveAgent([{ status: 500 }, { status: 500 }, 'Fine.'])
    expect(await (await ask()).json()).toMatchObject({ answer: 'Fine.' })
    expect(provider.requests).toHaveLength(3)
  })

  it('F4 with 529 is replaced by the next model', async () => {
    await using other = await fakeProvider('openai-chat', ['From the other.'])
    await using busy = await fakeProvider('openai-chat', () => ({ status: 529 }))
    const model = [modelAt(busy.url), modelAt(other.url)]
    const { ask } = await serveAgent([], { agent: { model } })
    const events = eventsIn(await (await ask('Hi', { accept: 'text/event-stream' })).text())
    expect(events.filter(({ type }) => type === 'model-fallback')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop', text: 'From the other.' })
    expect(busy.requests).toHaveLength(2)
  })
})

describe('a provider that cannot be reached', () => {
  const unused = async (): Promise<number> => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    const { port } = server.address() as { port: number } // of a TCP server
    await new Promise((closed) => server.close(closed))
    return port
  }
  const unknownHost = (): Promise<Response> =>
    Promise.reject(
      new TypeError('fetch failed', {
        cause: Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }),
      }),
    )

  it.each([
    ['refuses connections', async () => modelAt(`http://127.0.0.1:${await unused()}/v1`)],
    ['has no TLS', async (url: string) => modelAt(url.replace('http:', 'https:'))],
    ['has a name that is not known', async () => openai({ apiKey: 'test', fetch: unknownHost }).model('gpt-test')],
  ])('F6 because it %s is 502', async (_why, broken) => {
    await using server = await fakeProvider('openai-chat', ['Never.'])
    const { ask } = await serveAgent([], { agent: { ...once, model: await broken(server.url) } })
    const response = await ask()
    expect([response.status, await response.json()]).toMatchObject([502, { code: 'network' }])
    expect(server.requests).toHaveLength(0)
  })
})

describe('a provider that hangs', () => {
  it('F5 before its answer is 504, and its connection is closed', async () => {
    const served = await serveAgent([{ fault: 'hang-before-headers' }, 'Fine.'], {
      ...{ agent: once, timeouts: { firstByteTimeoutMs: 400 } },
    })
    const response = await served.ask()
    await served.provider.requests[0]?.closed
    expect(served.provider.requests[0]?.aborted).toBe(true)
    expect((await response.clone().json()).detail).toBe('The model provider did not answer in time.')
    await expectFailure(served, response, 504, 'timeout')
  })

  it('F5 within its answer ends the stream with a timeout, and its connection is closed', async () => {
    const { ask, provider } = await serveAgent([{ text, fault: 'hang', faultAfter: 2 }], {
      ...{ agent: once, timeouts: { idleTimeoutMs: 200 } },
    })
    const events = eventsIn(await (await ask('Hi', { accept: 'text/event-stream' })).text())
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'error', error: { code: 'timeout' } })
    expect(events.at(-1)).toMatchObject({ error: { message: 'The model provider did not answer in time.' } })
    await provider.requests[0]?.closed
    expect(provider.requests[0]?.aborted).toBe(true)
  })
})

describe('an answer that breaks', () => {
  const faults: [fault: string, turn: FakeTurn, code: string][] = [
    ['F7 is cut in a token', { text, fault: 'cut', faultAfter: 2 }, 'network'],
    ['F8 ends without finish and [DONE]', { text, fault: 'early-eof' }, 'incomplete-stream'],
    ['F9 has a chunk that is not JSON', { text, fault: 'garbage-frame' }, 'malformed-stream'],
    ['F11 is a web page with 200', { fault: 'html' }, 'malformed-stream'],
  ]

  it.each(faults)('%s: 502, never an answer', async (_fault, turn, code) => {
    const served = await serveAgent([turn, 'Fine.'], { agent: once })
    await expectFailure(served, await served.ask(), 502, code)
  })

  it.each(faults)('%s: repeated, and its text is not in the answer', async (_fault, turn) => {
    const { ask, provider, history } = await serveAgent([turn, 'Fine.'])
    const events = eventsIn(await (await ask('Hi', { accept: 'text/event-stream' })).text())
    expect(events.filter(({ type }) => type === 'step-restart')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop', text: 'Fine.' })
    expect(provider.requests).toHaveLength(2)
    expect((await history()).map(({ message }) => message)).toEqual(['Hi', 'Fine.'])
  })

  it('F7 keeps the part that was sent in the stream, and the run as failed', async () => {
    const { url, ask } = await serveAgent([{ text, fault: 'cut', faultAfter: 2 }], { agent: once })
    const response = await ask('Hi', { accept: 'text/event-stream' })
    const events = eventsIn(await response.text())
    const part = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    expect(part).not.toBe('')
    expect(text.startsWith(part)).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'error', error: { code: 'network' } })
    const run = await fetch(`${url}/api/v1/runs/${response.headers.get('x-run-id')}?user_id=ada`)
    expect(await run.json()).toMatchObject({ status: 'failed', error: { code: 'network' } })
  })

  it('F8 without [DONE] after its finish is complete', async () => {
    const frame = (delta: Record<string, string>, finish_reason: string | null = null) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-test' },
      choices: [{ index: 0, delta, finish_reason }],
    })
    const { ask } = await serveAgent([{ frames: [frame({ content: 'Whole.' }), frame({}, 'stop')] }])
    expect(await (await ask()).json()).toMatchObject({ answer: 'Whole.', finish_reason: 'stop' })
  })

  it.each([
    ['in bytes', { writes: 'byte' }],
    ['within characters', { writes: 'split-characters' }],
    ['with CRLF', { lineEnd: '\r\n' }],
    ['in bytes, with CRLF', { writes: 'byte', lineEnd: '\r\n' }],
  ] as const)('F10 is read when it arrives %s', async (_how, transport) => {
    const { ask } = await serveAgent([{ text, ...transport }])
    expect(await (await ask()).json()).toMatchObject({ answer: text, finish_reason: 'stop' })
  })

  it('F12 is waited for while it comes slowly, and heartbeats are sent meanwhile', async () => {
    const { ask } = await serveAgent([{ text: 'One two three four five.', deltas: 5, delayMs: 150 }], {
      server: { limits: { heartbeatMs: 40 } },
    })
    const body = await (await ask('Hi', { accept: 'text/event-stream' })).text()
    expect(body.split(': keep-alive\n\n').length).toBeGreaterThan(3)
    expect(eventsIn(body).at(-1)).toMatchObject({ type: 'run-end', text: 'One two three four five.' })
  })
})

describe('F23 a client that leaves', () => {
  it.each<[phase: string, turn: FakeTurn]>([
    ['before the model answers', { fault: 'hang-before-headers' }],
    ['within the answer of the model', { text, fault: 'hang', faultAfter: 2 }],
  ])('%s ends the request to the provider', async (_phase, turn) => {
    const { ask, provider } = await serveAgent([turn])
    const leaving = new AbortController()
    const answer = ask('Hi', { accept: 'text/event-stream', signal: leaving.signal }).catch(() => {})
    await expect.poll(() => provider.requests.length, { timeout: 20_000 }).toBe(1)
    leaving.abort()
    await answer
    await provider.requests[0]?.closed
    expect(provider.requests[0]?.aborted).toBe(true)
  })

  it('while a tool works stops the tool, and makes no further request', async () => {
    let begun = false
    const stopped = Promise.withResolvers<void>()
    const slow = tool({
      ...{ name: 'slow', description: 'Takes long.', input: { type: 'object' } },
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          begun = true
          signal.addEventListener('abort', () => {
            stopped.resolve()
            reject(signal.reason)
          })
        }),
    })
    const { ask, provider } = await serveAgent([{ toolCalls: [{ name: 'slow' }] }, 'Fine.'], {
      agent: { functions: [slow] },
    })
    const leaving = new AbortController()
    const answer = ask('Hi', { signal: leaving.signal }).catch(() => {})
    await expect.poll(() => begun, { timeout: 20_000 }).toBe(true)
    leaving.abort()
    await Promise.all([answer, stopped.promise])
    expect(await (await ask('Again?')).json()).toMatchObject({ answer: 'Fine.' })
    expect(provider.requests).toHaveLength(2)
  })
})
