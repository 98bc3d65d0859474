import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type Runnable } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type Act, fakeAgent, text } from './__fixtures__/fake-agent.ts'
import {
  boundary,
  chatRequest,
  expectHealthy,
  expectProblem,
  formBody,
  getWithHeaders,
  multipart,
  openSocket,
  promptTurns,
  rawChat,
  until,
  validFields,
} from './__fixtures__/requests.ts'
import { ask, heldTool, storedAgents } from './__fixtures__/stored-agent.ts'
import type { AgentServer } from './listen.ts'
import type { ServerOptions } from './options.ts'
import { serve } from './serve.ts'

const servers: AgentServer[] = []
const storedAgent = storedAgents()

function processState(): unknown[] {
  const { Request, Response } = globalThis
  return [Request, Response, process.listenerCount('SIGTERM'), process.listenerCount('unhandledRejection')]
}
/** Recorded before any server is started. */
const untouched = processState()

async function start(agent: Runnable = fakeAgent(), options: ServerOptions = {}): Promise<AgentServer> {
  const server = await serve(agent, { port: 0, log: () => {}, ...options })
  servers.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

function requestHead(url: string, ...headers: string[]): string {
  return [
    'POST /api/v1/chat HTTP/1.1',
    `Host: ${new URL(url).host}`,
    `Content-Type: ${multipart}`,
    ...headers,
    '',
    '',
  ].join('\r\n')
}

describe('serve', () => {
  it('answers at its url, on a free port', async () => {
    const { url } = await start()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const response = await fetch(`${url}/api/v1/chat`, chatRequest())
    expect(await response.text()).toBe('Hello.')
    await expectHealthy(url)
  })

  it('accepts a form that fetch encodes', async () => {
    const { url } = await start()
    const form = new FormData()
    for (const [name, value] of Object.entries(validFields)) form.set(name, value)
    expect(await (await fetch(`${url}/api/v1/chat`, { method: 'POST', body: form })).text()).toBe('Hello.')
  })

  it('names the port that is in use', async () => {
    const other: Server = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    await expect(start(fakeAgent(), { port })).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
    })
    other.close()
  })

  it("refuses an address that is not one of this machine's", async () => {
    await expect(start(fakeAgent(), { host: '192.0.2.1', allowUnauthenticated: true })).rejects.toMatchObject({
      code: 'invalid-config',
    })
  })

  it('refuses a public bind without auth', async () => {
    await expect(start(fakeAgent(), { host: '0.0.0.0' })).rejects.toMatchObject({ code: 'invalid-config' })
  })

  it("does not change the process's globals and handlers", async () => {
    await start()
    expect(processState()).toEqual(untouched)
  })

  it('38 refuses a foreign Host', async () => {
    const { url } = await start()
    expect(await getWithHeaders(`${url}/health`, { host: 'evil.com' })).toBe(403)
    expect(await getWithHeaders(`${url}/health`, { host: 'localhost' })).toBe(200)
  })
})

describe('malformed requests', () => {
  it.each([
    ['http://evil.com/health', '127.0.0.1', 403],
    ['http://localhost/health', 'evil.com', 403],
    ['http://localhost/health', '127.0.0.1', 200],
  ])('38 takes the host of a whole target into account: GET %s, Host %s', async (target, host, status) => {
    const { url } = await start()
    const { socket, closed } = await openSocket(url)
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(await closed).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it('14 refuses a body by its Content-Length before any of it arrives', async () => {
    const { url } = await start()
    const { socket, closed } = await openSocket(url)
    socket.write(requestHead(url, 'Content-Length: 10000000000'))
    const answer = await closed
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.toLowerCase()).toContain('connection: close')
    expect(answer).toContain('payload-too-large')
    await expectHealthy(url)
  })

  it('14 does not send 100 Continue for a body that it refuses', async () => {
    const { url } = await start()
    const { socket, closed } = await openSocket(url)
    socket.write(requestHead(url, 'Content-Length: 10000000000', 'Expect: 100-continue'))
    expect(await closed).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('sends 100 Continue for a body that it accepts', async () => {
    const { url } = await start()
    const { socket, answer } = await openSocket(url)
    const body = formBody(validFields)
    socket.write(requestHead(url, `Content-Length: ${body.length}`, 'Expect: 100-continue'))
    await until(() => answer().startsWith('HTTP/1.1 100 Continue'))
    socket.write(body)
    await until(() => answer().includes('Hello.'))
    socket.destroy()
  })

  it('counts requests with an unknown expectation in the limit of their connection', async () => {
    const { url } = await start(fakeAgent(), { limits: { requestsPerConnection: 3 } })
    const { socket, closed } = await openSocket(url)
    socket.write(`GET /health HTTP/1.1\r\nHost: ${new URL(url).host}\r\nExpect: speed\r\n\r\n`.repeat(1_000))
    expect((await closed).match(/HTTP\/1\.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 200'))
  })

  it('15 refuses a chunked body while it arrives', async () => {
    const agent = fakeAgent()
    const { url } = await start(agent, { limits: { bodyBytes: 1000 } })
    const { socket, closed } = await openSocket(url)
    socket.write(requestHead(url, 'Transfer-Encoding: chunked'))
    socket.write(`7d0\r\n${formBody({ a: 'x'.repeat(3000) }).slice(0, 2000)}\r\n`)
    expect(await closed).toMatch(/^HTTP\/1\.1 413 .*payload-too-large/s)
    expect(agent.calls).toHaveLength(0)
    await expectHealthy(url)
  })

  it('41 refuses Content-Length together with Transfer-Encoding', async () => {
    const { url } = await start()
    const { socket, closed } = await openSocket(url)
    socket.write(requestHead(url, 'Content-Length: 5', 'Transfer-Encoding: chunked'))
    expect(await closed).toMatch(/^HTTP\/1\.1 400 /)
    await expectHealthy(url)
  })

  it('42 refuses headers of 20 KB', async () => {
    const { url } = await start()
    const { socket, closed } = await openSocket(url)
    socket.write(requestHead(url, `X-Large: ${'x'.repeat(20_000)}`))
    expect(await closed).toMatch(/^HTTP\/1\.1 431 /)
    await expectHealthy(url)
  })

  it('43 times out headers that never end', async () => {
    const { url } = await start(fakeAgent(), { limits: { headersMs: 200 } })
    const { socket, closed } = await openSocket(url)
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    expect(await closed).toMatch(/^HTTP\/1\.1 408 /)
    await expectHealthy(url)
  })

  it('44 times out a body that stalls in the middle of a part', async () => {
    const agent = fakeAgent()
    const { url } = await start(agent, { limits: { stalledMs: 100 } })
    const { socket, closed } = await openSocket(url)
    const body = formBody(validFields)
    socket.write(requestHead(url, `Content-Length: ${body.length}`) + body.slice(0, 80))
    const answer = await closed
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*request-timeout/s)
    expect(answer.toLowerCase()).toContain('connection: close')
    expect(agent.calls).toHaveLength(0)
    await expectHealthy(url)
  })

  it('12 stays healthy when clients disconnect in mid-body', async () => {
    const agent = fakeAgent()
    const { url } = await start(agent)
    for (let length = 60; length < 200; length += 20) {
      const { socket, closed } = await openSocket(url)
      socket.write(requestHead(url, 'Content-Length: 500') + formBody(validFields).slice(0, length))
      setTimeout(() => (length % 40 ? socket.destroy() : socket.resetAndDestroy()), 5)
      await closed
    }
    expect(agent.calls).toHaveLength(0)
    await expectHealthy(url)
  })

  it('38 refuses a malformed Host', async () => {
    const { url } = await start()
    for (const host of ['127.0.0.1@evil.com', 'a b', '[::1', '']) {
      const { socket, answer } = await openSocket(url)
      socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      await until(() => answer() !== '')
      expect(answer()).toMatch(/^HTTP\/1\.1 4\d\d /)
      socket.destroy()
    }
  })

  it('reads a body that arrives byte by byte', async () => {
    const { url } = await start()
    const { socket, answer } = await openSocket(url)
    for (const character of rawChat(url)) socket.write(character)
    await until(() => answer().includes('Hello.'))
    socket.destroy()
  })

  it('answers several requests of one connection', async () => {
    const { url } = await start()
    const { socket, answer } = await openSocket(url)
    socket.write(rawChat(url).replace(`--${boundary}--`, '-'.repeat(boundary.length + 4)) + rawChat(url))
    await until(() => answer().includes('Hello.'))
    expect(answer()).toMatch(/^HTTP\/1\.1 400 /)
    socket.destroy()
  })
})

describe('a client that leaves', () => {
  const script: Act[] = [text('Hi'), 'hang']

  it.each([
    ['waits for plain text', '/api/v1/chat', 'text/plain', script],
    ['waits for JSON', '/api/v1/chat', 'application/json', script],
    ['waits for the first event', '/api/v1/chat', 'text/event-stream', ['hang'] as Act[]],
    ['reads the stream', '/api/v1/chat_stream', '*/*', script],
    [
      'waits for a tool',
      '/api/v1/chat_stream',
      '*/*',
      [{ type: 'tool-call', callId: 'c', name: 'slow', input: {} }, 'hang'] as Act[],
    ],
  ])('F23 while it %s cancels the run within 100 ms', async (_name, path, accept, acts) => {
    const agent = fakeAgent(acts)
    const { url } = await start(agent)
    const { socket, answer } = await openSocket(url)
    socket.write(rawChat(url, { path, accept }))
    await until(() => agent.calls.length === 1)
    if (path.endsWith('stream')) await until(() => answer().includes('data:'))
    socket.destroy()
    expect(await until(() => agent.calls[0]?.isAborted === true)).toBeLessThan(promptTurns)
    await until(() => agent.calls[0]?.ended === true)
    await expectHealthy(url)
  })
})

describe('a stream', () => {
  it('sends heartbeats, and begins with the first one at the latest', async () => {
    const { promise: alive, resolve: goOn } = Promise.withResolvers<void>()
    const agent = fakeAgent([{ type: 'run-start' }, { until: alive }, text('late')])
    const { url } = await start(agent, { limits: { heartbeatMs: 30 } })
    const response = await fetch(`${url}/api/v1/chat_stream`, chatRequest())
    let body = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      body += chunk
      if (body.includes(': keep-alive\n\n')) goOn()
    }
    expect(body).toContain('late')
  })

  it('F24 pauses the run while the client does not read, and then drops the client', async () => {
    let emitted = 0
    const flood = function* (): Generator<Act> {
      while (emitted < 1000) {
        emitted++
        yield text('x'.repeat(64 * 1024))
      }
    }
    const agent = fakeAgent(flood)
    const { url } = await start(agent, { limits: { heartbeatMs: 50, stalledMs: 400 } })
    const { socket, closed } = await openSocket(url)
    socket.pause()
    socket.write(rawChat(url, { path: '/api/v1/chat_stream' }))
    await until(() => agent.calls[0]?.ended === true)
    expect(emitted).toBeLessThan(300)
    socket.resume()
    expect(await closed).not.toContain('run-end')
    await expectHealthy(url)
  })
})

describe('close', () => {
  it('waits for active runs, and refuses new ones', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const agent = fakeAgent([{ until: ended }, text('Done.')])
    const server = await start(agent)
    const answer = fetch(`${server.url}/api/v1/chat`, chatRequest())
    await until(() => agent.calls.length === 1)
    const closed = server.close()
    const refused = await fetch(`${server.url}/api/v1/chat`, chatRequest())
    expect(refused.headers.get('connection')).toBe('close')
    await expectProblem(refused, 503, 'overloaded')
    expect((await fetch(`${server.url}/ready`)).status).toBe(503)
    await expectHealthy(server.url)
    end()
    expect(await (await answer).text()).toBe('Done.')
    await closed
    await expect(fetch(`${server.url}/health`)).rejects.toThrow()
    expect(server.close()).toBe(server.close())
  })

  it('aborts a run that does not finish in time, and its stream ends with the end of the run', async () => {
    const agent = fakeAgent([text('Hi'), 'hang'])
    const server = await start(agent, { limits: { drainMs: 100 } })
    const response = await fetch(`${server.url}/api/v1/chat_stream`, chatRequest())
    await server.close()
    expect(agent.calls[0]?.ended).toBe(true)
    expect(await response.text()).toMatch(/event: run-end\n.*"finishReason":"aborted".*"code":"aborted".*\n\n$/s)
  })

  it('aborts a run that does not finish in time, and its answer is 503', async () => {
    const agent = fakeAgent([text('Hi'), 'hang'])
    const server = await start(agent, { limits: { drainMs: 100 } })
    const answer = fetch(`${server.url}/api/v1/chat`, chatRequest())
    await until(() => agent.calls.length === 1)
    await server.close()
    await expectProblem(await answer, 503, 'aborted')
    // The next server may answer.
    expect((await answer).headers.get('x-should-retry')).toBeNull()
  })

  it('leaves the runs of another agent alone, which has the same sessions', async () => {
    const { wait, begun, release } = heldTool()
    const { agent, sessions } = storedAgent([{ toolCalls: [{ name: 'wait' }] }, 'Done.'], { functions: [wait] })
    const other = new Agent({ name: 'Other', functions: [], model: scriptedModel([]), sessions })
    const closing = await start(other, { limits: { drainMs: 100 } })
    const { url } = await start(agent)
    const answer = fetch(`${url}/api/v1/chat`, ask('Hi', { resumable: 'true' }))
    await begun
    await closing.close()
    release()
    expect(await (await answer).text()).toBe('Done.')
  })

  it('does not wait for idle connections', async () => {
    const server = await start()
    const { socket, answer, closed } = await openSocket(server.url)
    socket.write(rawChat(server.url))
    await until(() => answer().includes('Hello.'))
    await server.close()
    await closed
  })

  it('does not wait for connections that have sent nothing', async () => {
    const server = await start()
    const { closed } = await openSocket(server.url)
    // When this request is answered, the server has accepted the silent connection too.
    await expectHealthy(server.url)
    await server.close()
    await closed
  })

  it('requires a token on a server with auth', async () => {
    const { url } = await start(fakeAgent(), { auth: { tokens: { 'a-token-of-all-1': '*' } } })
    await expectProblem(await fetch(`${url}/api/v1/chat`, chatRequest()), 401, 'unauthorized')
    const response = await fetch(
      `${url}/api/v1/chat`,
      chatRequest(validFields, { authorization: 'Bearer a-token-of-all-1' }),
    )
    expect(response.status).toBe(200)
  })
})
