import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Act, type FakeAgent, fakeAgent, text } from './__fixtures__/fake-agent.ts'
import {
  chatRequest,
  expectHealthy,
  expectProblem,
  multipart,
  openSocket,
  rawChat,
  until,
  validFields,
} from './__fixtures__/requests.ts'
import { createApp } from './create-app.ts'
import type { Limits } from './limits.ts'
import type { AgentServer } from './listen.ts'
import { serve } from './serve.ts'
import type { LogEntry } from './util/log.ts'

const servers: AgentServer[] = []
const sockets: Socket[] = []
const logged: LogEntry[] = []

async function start(agent: FakeAgent, limits: Partial<Limits>): Promise<AgentServer> {
  const server = await serve(agent, { port: 0, limits, log: (entry) => logged.push(entry) })
  servers.push(server)
  return server
}

async function openTo(url: string): ReturnType<typeof openSocket> {
  const opened = await openSocket(url)
  sockets.push(opened.socket)
  return opened
}

afterEach(async () => {
  logged.length = 0
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** An agent whose runs end when the gate opens, including those whose clients have left. */
function gated(...before: Act[]): { agent: FakeAgent; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { agent: fakeAgent((): Act[] => [...before, { until: promise }, text('Done.')]), open: resolve }
}

const chat = (url: string, path = '/api/v1/chat'): Promise<Response> => fetch(`${url}${path}`, chatRequest())

describe('runs at once', () => {
  it('49 are bounded: more wait in the queue, the others are 503 with Retry-After', async () => {
    const { agent, open } = gated()
    const { url } = await start(agent, { runs: 3, queuedRuns: 2 })
    const refused: Response[] = []
    const answers = Array.from({ length: 12 }, async () => {
      const response = await chat(url)
      if (response.status !== 200) refused.push(response)
      return response.status
    })
    await until(() => refused.length === 7)
    expect(agent.calls).toHaveLength(3)
    for (const response of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      const { detail } = await expectProblem(response, 503, 'overloaded')
      expect(detail).toBe('3 runs are active and 2 wait, which is the limit.')
    }
    // Refusals do not flood the log.
    expect(logged).toMatchObject([{ code: 'overloaded', status: 503 }])
    open()
    const statuses = await Promise.all(answers)
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    expect(agent.calls).toHaveLength(5)
  })

  it('refuse a stream by its status as well', async () => {
    const { agent, open } = gated(text('Hi'))
    const { url } = await start(agent, { runs: 1, queuedRuns: 0 })
    const first = await chat(url, '/api/v1/chat_stream')
    await expectProblem(await chat(url, '/api/v1/chat_stream'), 503, 'overloaded')
    open()
    expect(await first.text()).toContain('Done.')
    await until(() => agent.calls[0]?.ended === true)
    expect((await chat(url, '/api/v1/chat_stream')).status).toBe(200)
  })

  it('send heartbeats on a stream that waits', async () => {
    const { agent, open } = gated()
    const { url } = await start(agent, { runs: 1, queuedRuns: 1, heartbeatMs: 20 })
    const first = chat(url)
    await until(() => agent.calls.length === 1)
    const { socket, answer } = await openTo(url)
    socket.write(rawChat(url, { path: '/api/v1/chat_stream' }))
    await until(() => answer().includes(': keep-alive'))
    expect(agent.calls).toHaveLength(1)
    open()
    await until(() => answer().includes('Done.'))
    expect((await first).status).toBe(200)
  })

  it('keep the place of a run whose client has left until the run has settled', async () => {
    const { agent, open } = gated()
    const { url } = await start(agent, { runs: 1, queuedRuns: 0 })
    const { socket } = await openTo(url)
    socket.write(rawChat(url))
    await until(() => agent.calls.length === 1)
    socket.destroy()
    await until(() => agent.calls[0]?.isAborted === true)
    await expectProblem(await chat(url), 503, 'overloaded')
    open()
    await until(() => agent.calls[0]?.ended === true)
    expect((await chat(url)).status).toBe(200)
  })

  it('leave the queue when their clients leave', async () => {
    const { agent, open } = gated()
    const app = createApp(agent, { limits: { runs: 1, queuedRuns: 1 }, log: () => {} })
    const ask = async (signal?: AbortSignal): Promise<Response> =>
      app.request('/api/v1/chat', { ...chatRequest(), ...(signal && { signal }) })
    const first = ask()
    await until(() => agent.calls.length === 1)
    const client = new AbortController()
    const waiting = ask(client.signal)
    await expectProblem(await ask(), 503, 'overloaded')
    client.abort()
    expect((await waiting).status).toBe(503)
    const next = ask()
    open()
    expect([(await first).status, (await next).status]).toEqual([200, 200])
    expect(agent.calls).toHaveLength(2)
  })

  it('in the queue are refused when the server closes, and active ones finish', async () => {
    const { agent, open } = gated()
    const server = await start(agent, { runs: 1, queuedRuns: 5 })
    const first = chat(server.url)
    await until(() => agent.calls.length === 1)
    const { socket, answer } = await openTo(server.url)
    socket.write(rawChat(server.url) + rawChat(server.url))
    const other = chat(server.url)
    let waits = 0
    await until(() => ++waits > 20)
    const closed = server.close()
    await expectProblem(await other, 503, 'overloaded')
    await until(() => answer().includes('shutting down'))
    open()
    expect(await (await first).text()).toBe('Done.')
    await closed
    expect(agent.calls).toHaveLength(1)
  })

  it('that wait longer than the deadline are 503', async () => {
    const { agent, open } = gated()
    const { url } = await start(agent, { runs: 1, queuedRuns: 1, deadlineMs: 60 })
    const first = chat(url)
    await until(() => agent.calls.length === 1)
    const { detail } = await expectProblem(await chat(url), 503, 'overloaded')
    expect(detail).toBe('The run did not get a place in time.')
    open()
    await first
  })
})

describe('one connection', () => {
  it('starts one run at a time, however many requests it sends', async () => {
    const { agent, open } = gated()
    const { url } = await start(agent, {})
    const { socket, answer } = await openTo(url)
    socket.write(rawChat(url).repeat(50))
    await until(() => agent.calls.length === 1)
    await expectHealthy(url)
    expect(agent.calls).toHaveLength(1)
    open()
    await until(() => answer().split('Done.').length === 51)
    expect(agent.calls).toHaveLength(50)
  })
})

describe('unfinished bodies', () => {
  const head = (url: string): string =>
    `POST /api/v1/chat HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Type: ${multipart}\r\nContent-Length: 90000\r\n\r\n`
  const part = '--frontier\r\nContent-Disposition: form-data; name="chat_data"\r\n\r\n'

  it('are bounded together: one more is 503 with Retry-After, and its connection is closed', async () => {
    const agent = fakeAgent()
    const { url } = await start(agent, { bodyBytes: 100_000, heldBytes: 400_000 })
    const opened = await Promise.all(Array.from({ length: 20 }, () => openTo(url)))
    for (const { socket } of opened) socket.write(head(url) + part + 'x'.repeat(50_000))
    const refused = (): number => opened.filter(({ answer }) => answer().startsWith('HTTP/1.1 503 ')).length
    await until(() => refused() >= 12)
    expect(refused()).toBeLessThan(20)
    for (const { answer, closed } of opened.filter(({ answer: given }) => given() !== '')) {
      expect(await closed).toMatch(/retry-after: \d+/i)
      expect(answer()).toContain('"code":"overloaded"')
    }
    for (const { socket } of opened) socket.destroy()
    // The server frees the memory of these requests when it has noticed their end.
    while ((await chat(url)).status !== 200) expect(agent.calls).toHaveLength(0)
  })

  it('count the memory of their messages, not only their text', async () => {
    const { agent, open } = gated()
    const { url } = await start(agent, { runs: 1, bodyBytes: 1_000_000, heldBytes: 1_100_000 })
    const ask = (history: object[]): Promise<Response> => {
      const chat_data = JSON.stringify({ messages: [...history, { role: 'user', content: 'Go' }] })
      return fetch(`${url}/api/v1/chat`, chatRequest({ ...validFields, chat_data }))
    }
    const running = ask([])
    await until(() => agent.calls.length === 1)
    const waiting = ask([{ role: 'user', content: 'x'.repeat(300_000) }])
    const short = Array.from({ length: 9_000 }, () => ({ role: 'user', content: 'a' }))
    await expectProblem(await ask(short), 503, 'overloaded')
    open()
    expect([(await running).status, (await waiting).status]).toEqual([200, 200])
  })

  it('must arrive within the deadline, even if they never stall', async () => {
    const agent = fakeAgent()
    const { url } = await start(agent, { deadlineMs: 150, stalledMs: 10_000 })
    const { socket, answer } = await openTo(url)
    socket.write(head(url) + part)
    const dripping = setInterval(() => socket.write('x'), 10)
    await until(() => answer() !== '')
    clearInterval(dripping)
    expect(answer()).toMatch(/^HTTP\/1\.1 408 .*request-timeout/s)
    expect(agent.calls).toHaveLength(0)
  })

  it('may not arrive byte by byte without end', async () => {
    const { url } = await start(fakeAgent(), {})
    const { socket, answer } = await openTo(url)
    socket.write(head(url).replace('Content-Length: 90000', 'Transfer-Encoding: chunked'))
    socket.write(`${part.length.toString(16)}\r\n${part}\r\n${'1\r\nx\r\n'.repeat(20_000)}`)
    await until(() => answer() !== '')
    expect(answer()).toMatch(/^HTTP\/1\.1 413 .*in more than 16384 pieces/s)
  })
})
