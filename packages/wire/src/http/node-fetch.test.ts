import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { ClientRequest, createServer, request as httpRequest } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isAgentKitError } from '@agentkit/core'
import { setTracer, type Tracer } from '@agentkit/core/internal'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpServer, listening, rawServer } from '../__fixtures__/servers.ts'
import { bodyOf, context, errorOf } from '../__fixtures__/streams.ts'
import { networkError } from '../errors/provider-error.ts'
import { callSignal, type NodeFetchInit, nodeFetch, preparePost } from './node-fetch.ts'
import { NodeResponse } from './node-response.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** The text of a call, which must not have gone by the web's fetch. */
async function textOf(url: string, init?: NodeFetchInit): Promise<string> {
  const response = await nodeFetch(url, init)
  expect(response).toBeInstanceOf(NodeResponse)
  return await response.text()
}

describe('requests of nodeFetch', () => {
  it('sends method, path, query, headers and body', async () => {
    await using server = await httpServer(async (request, response) => {
      const body = (await request.toArray()).join('')
      response.end(JSON.stringify([request.method, request.url, request.headers['x-team'], body]))
    })
    const init = { method: 'post', body: 'grüße 🦊', headers: { 'X-Team': 'blue' } }
    expect(JSON.parse(await textOf(`${server.url}/a%20b/c?d=e&f#g`, init))).toEqual([
      'POST',
      '/a%20b/c?d=e&f',
      'blue',
      'grüße 🦊',
    ])
  })

  it('sends the trace that the call belongs to', async () => {
    await using server = await httpServer((request, response) => {
      response.end(JSON.stringify([request.headers.traceparent ?? null, request.headers['x-team'] ?? null]))
    })
    const headers = { 'x-team': 'blue' }
    expect(JSON.parse(await textOf(server.url, { headers }))).toEqual([null, 'blue'])
    const tracer: Pick<Tracer, 'headers'> = { headers: () => ({ traceparent: '00-1-2-01' }) }
    const remove = setTracer(tracer as Tracer) // no span is started here
    try {
      expect(JSON.parse(await textOf(server.url, { headers }))).toEqual(['00-1-2-01', 'blue'])
      const post = preparePost({ address: server.url, headers, redirect: undefined })
      const prepared = await post?.(Buffer.from('{}'), new AbortController().signal)
      expect(await prepared?.json()).toEqual(['00-1-2-01', 'blue'])
      // A body of another kind is sent by the global `fetch`.
      const sent = await nodeFetch(server.url, { method: 'POST', headers, body: new Blob(['a']) })
      expect(await sent.json()).toEqual(['00-1-2-01', 'blue'])
    } finally {
      remove()
    }
  })

  it.each<[string, HeadersInit]>([
    ['an object', { 'x-a': '1', 'X-B': '2' }],
    [
      'pairs',
      [
        ['x-a', '1'],
        ['x-b', '2'],
      ],
    ],
    ['Headers', new Headers({ 'x-a': '1', 'x-b': '2' })],
  ])('accepts headers as %s', async (_name, headers) => {
    await using server = await httpServer((request, response) => {
      response.end(`${request.headers['x-a']} ${request.headers['x-b']}`)
    })
    expect(await textOf(server.url, { headers })).toBe('1 2')
  })

  it.each(['a\nb', 'a\0b', '…'])('rejects the header value %j', async (value) => {
    await using server = await httpServer((_request, response) => void response.end())
    expect(await errorOf(nodeFetch(server.url, { headers: { 'x-team': value } }))).toBeInstanceOf(TypeError)
  })

  it.each(['POST', 'DELETE', 'OPTIONS', 'PATCH'])('sends the length of the body of %s', async (method) => {
    await using server = await httpServer(async (request, response) => {
      response.end(`${request.headers['content-length']} ${(await request.toArray()).join('')}`)
    })
    const headers = { 'content-length': '77', 'transfer-encoding': 'chunked' }
    expect(await textOf(server.url, { method, body: 'für', headers })).toBe('4 für')
  })

  it('sends headers as Latin-1, as fetch does', async () => {
    await using server = await httpServer((request, response) => void response.end(request.headers['x-team']))
    expect(await textOf(server.url, { method: 'POST', body: 'ü', headers: { 'x-team': 'grün' } })).toBe('grün')
  })

  it.each([
    ['grün', 'green'],
    ['green', 'grün'],
    ['green', 'green'],
  ])('sends the header "%s", and "%s" of a trace, as Latin-1, with a body as UTF-8', async (team, tracestate) => {
    await using server = await httpServer(async (request, response) => {
      const { headers } = request
      response.end(JSON.stringify([headers['x-team'], headers.tracestate, (await request.toArray()).join('')]))
    })
    const post = preparePost({ address: server.url, headers: { 'x-team': team }, redirect: undefined })
    const { signal } = new AbortController()
    const tracer: Pick<Tracer, 'headers'> = { headers: () => ({ tracestate }) }
    const remove = setTracer(tracer as Tracer) // no span is started here
    try {
      for (const body of ['grüße 🦊', Buffer.from('grüße 🦊')]) {
        expect(await (await post?.(body, signal))?.json()).toEqual([team, tracestate, 'grüße 🦊'])
      }
    } finally {
      remove()
    }
  })

  it('supports IPv6', async () => {
    await using server = await httpServer((_request, response) => void response.end('six'), '::1')
    expect(await textOf(server.url)).toBe('six')
  })

  it('sends the body without waiting for "100 Continue", and skips interim responses', async () => {
    await using server = await httpServer((request, response) => {
      response.writeContinue()
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      request.resume().on('end', () => response.end('done'))
    })
    expect(await textOf(server.url, { method: 'POST', body: 'a', headers: { expect: '100-continue' } })).toBe('done')
  })
})

describe('connections of nodeFetch', () => {
  it('reuses one connection for sequential calls, whether a short body is read or not', async () => {
    await using server = await httpServer((request, response) => {
      if (request.url === '/204') response.writeHead(204).end()
      else response.writeHead(200, { 'content-length': 2 }).end(request.method === 'HEAD' ? undefined : 'ok')
    })
    for (let call = 0; call < 5; call++) {
      await textOf(server.url)
      await textOf(`${server.url}/204`)
      await textOf(server.url, { method: 'HEAD' })
      await nodeFetch(server.url)
      // Nothing has read that body: it ends by itself.
      await wait(10)
    }
    expect(server.sockets()).toBe(1)
  })

  it('sends calls concurrently', async () => {
    await using server = await httpServer((request, response) => void setTimeout(() => response.end(request.url), 20))
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    expect(await Promise.all(paths.map((path) => textOf(server.url + path)))).toEqual(paths)
  })

  it('drops a connection that the server closes', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok')
    })
    for (let call = 0; call < 3; call++) expect(await textOf(server.url)).toBe('ok')
    expect(server.sockets()).toBe(3)
  })

  it("respects the server's Keep-Alive timeout", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    await using server = await rawServer((socket) => {
      socket.on('end', resolve)
      socket.write(`HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok`)
    })
    await textOf(server.url)
    await closed
  })

  it('closes connections that were idle too long, again and again, and no others', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    let closed = Promise.withResolvers<void>()
    await using server = await rawServer((socket) => {
      socket.on('end', () => closed.resolve())
      socket.write(ok)
    })
    await using used = await rawServer((socket) => socket.write(ok))
    for (let time = 0; time < 2; time++) {
      await textOf(server.url)
      vi.setSystemTime(Date.now() + 4100)
      await textOf(used.url)
      await closed.promise
      closed = Promise.withResolvers<void>()
    }
    await textOf(used.url)
    // The second call of `used` came after 4,100 ms.
    expect([server.sockets(), used.sockets()]).toEqual([2, 2])
  })

  it('lets the process exit while connections are idle', async () => {
    await using server = await httpServer((_request, response) => void response.end('ok'))
    const child = await node(`console.log(await (await nodeFetch(${JSON.stringify(server.url)})).text())`)
    expect(child).toBe('ok')
  })

  it('does not reuse a connection that was idle too long, even when its timer is late', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    let usedAt = Date.now()
    await using server = await rawServer((socket, before) => {
      // The server closes a connection after 5 s, and may be late.
      if (before > 0 && Date.now() - usedAt > 5000) return socket.resetAndDestroy()
      usedAt = Date.now()
      return socket.write(ok)
    })
    for (let turn = 0; turn < 200; turn++) {
      expect(await textOf(server.url, { method: 'POST', body: 'a' })).toBe('ok')
      vi.setSystemTime(Date.now() + 6000)
    }
    expect(server.sockets()).toBe(200)
  })

  it.each([
    ['', 3900, 1],
    ['', 4100, 2],
    ['keep-alive: timeout=60\r\n', 3900, 1],
    ['keep-alive: timeout=60\r\n', 4100, 2],
    ['keep-alive: timeout=3, max=9\r\n', 1900, 1],
    ['keep-alive: max=9, timeout=3\r\n', 2100, 2],
    ['keep-alive: timeout=1\r\n', 0, 2],
    ['', -1, 1],
  ])('after an answer with "%s" and %i ms has used %i', async (header, idleMs, sockets) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using server = await rawServer((socket) => socket.write(ok.replace('\r\n', `\r\n${header}`)))
    await textOf(server.url)
    vi.setSystemTime(Date.now() + idleMs)
    await textOf(server.url)
    expect(server.sockets()).toBe(sockets)
  })

  it('works with fake timers', async () => {
    await using server = await rawServer((socket) => socket.write(ok))
    vi.useFakeTimers()
    for (let call = 0; call < 2; call++) expect(await textOf(server.url)).toBe('ok')
    expect(server.sockets()).toBe(1)
  })

  it.each<[string, (socket: Socket) => unknown]>([
    ['closed', (socket) => socket.destroy()],
    ['reset', (socket) => socket.resetAndDestroy()],
  ])(
    'sends an unwritten request on a new connection when the server has just %s the kept ones',
    async (_name, leave) => {
      const kept: Socket[] = []
      const received: string[] = []
      await using server = await rawServer((socket, _before, data) => {
        received.push(data.toString().slice(-2))
        kept.push(socket)
        socket.write(ok)
      })
      await Promise.all([1, 2, 3, 4, 5].map(() => textOf(server.url)))
      received.length = 0
      const init = { method: 'POST', body: '42' }
      // In one turn of the event loop, before the close is read.
      for (const socket of kept) leave(socket)
      expect(await Promise.all([textOf(server.url, init), textOf(server.url, init)])).toEqual(['ok', 'ok'])
      expect(received).toEqual(['42', '42'])
      expect(server.sockets()).toBe(7)
    },
  )

  it('looks whether a kept connection is open before it writes, until the server has kept it after three answers', async () => {
    await using server = await httpServer((_request, response) => void response.end('ok'))
    /** Whether the request was written in the turn of the event loop in which it was made. */
    const writtenAtOnce = async (): Promise<boolean> => {
      const end = vi.spyOn(ClientRequest.prototype, 'end')
      const answered = textOf(server.url)
      await new Promise(setImmediate)
      const isWritten = end.mock.calls.length > 0
      end.mockRestore()
      expect(await answered).toBe('ok')
      return isWritten
    }
    // On a busy machine the connection would be idle for too long between two calls.
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now)
    const wall = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const calls: boolean[] = []
    for (let call = 0; call < 6; call++) calls.push(await writtenAtOnce())
    expect(calls).toEqual([true, false, false, true, true, true])
    // The event loop may have been blocked, and the server may have closed it meanwhile.
    clock.mockReturnValue(now + 1_000)
    expect(await writtenAtOnce()).toBe(false)
    clock.mockRestore()
    wall.mockRestore()
    expect(server.sockets()).toBe(1)
  })

  it.each<[string, (socket: Socket) => unknown]>([
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('sends nothing twice when the server reads a request and then %s the kept connection', async (_name, leave) => {
    const bodies: string[] = []
    await using server = await rawServer((socket, before, data) => {
      bodies.push(data.toString().slice(-2))
      if (before === 0) socket.write(ok)
      else setTimeout(() => leave(socket), 20)
    })
    await textOf(server.url, { method: 'POST', body: '#1' })
    const error = await errorOf(nodeFetch(server.url, { method: 'POST', body: '#2' }))
    expect(networkError(error, context)).toMatchObject({ code: 'network', retryable: true })
    expect(bodies).toEqual(['#1', '#2'])
    expect(server.sockets()).toBe(1)
  })

  it('does not retry after the response has begun', async () => {
    await using server = await rawServer((socket, before) => {
      if (before === 0) socket.write(ok)
      else socket.end('HTTP/1.1 2')
    })
    await textOf(server.url)
    expect(await errorOf(nodeFetch(server.url))).toMatchObject({ message: 'fetch failed' })
    expect(server.sockets()).toBe(1)
  })

  it('does not retry on a new connection', async () => {
    await using server = await rawServer((socket) => socket.resetAndDestroy())
    expect(await errorOf(nodeFetch(server.url))).toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect(server.sockets()).toBe(1)
  })
})

describe('errors of nodeFetch', () => {
  /** The result of `networkError` for a call that fails before or during its answer. */
  async function failureOf(url: string): Promise<unknown> {
    const error = await errorOf(nodeFetch(url).then((response) => response.text()))
    expect(error).toBeInstanceOf(TypeError)
    return networkError(error, context)
  }

  it.each<[string, (socket: Socket) => unknown]>([
    ['a reset before the answer', (socket) => socket.resetAndDestroy()],
    ['a close before the answer', (socket) => socket.end()],
    ['a broken status line', (socket) => socket.end('HTTP/1.1 2')],
    ['what is not HTTP', (socket) => socket.end('220 smtp.example ESMTP\r\n')],
    ['headers without end', (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(9000)}`)],
    ['a switch of protocols', (socket) => socket.end(switching)],
    ['a reset in the body', (socket) => socket.write(ok.replace(': 2', ': 9'), () => socket.resetAndDestroy())],
    ['a body that is too short', (socket) => socket.end(ok.replace(': 2', ': 9'))],
    ['chunks without end', (socket) => socket.end(`${chunked}2\r\nok\r\n`)],
    ['chunks that are none', (socket) => socket.end(`${chunked}zz\r\nok\r\n`)],
  ])('fail on %s as `network`', async (_name, answer) => {
    await using server = await rawServer(answer)
    const error = await failureOf(server.url)
    expect(isAgentKitError(error) && error).toMatchObject({ code: 'network', retryable: true })
  })

  it('are `network` for a closed port and an unknown host', async () => {
    const server = await httpServer(() => {})
    await server[Symbol.asyncDispose]()
    expect(await failureOf(server.url)).toMatchObject({ code: 'network', cause: { code: 'ECONNREFUSED' } })
    expect(await failureOf('http://nobody.invalid')).toMatchObject({ code: 'network' })
  })

  it('reject an untrusted certificate', async ({ skip }) => {
    const certificate = selfSigned()
    if (!certificate) return skip('openssl is not installed, and the certificate is made with it')
    const server = createTlsServer(certificate, (_request, response) => void response.end('ok'))
    await using secure = await listening(server, '127.0.0.1', 'https')
    expect(await failureOf(secure.url)).toMatchObject({ code: 'network' })
    const trusting = await node(`console.log(await (await nodeFetch(${JSON.stringify(secure.url)})).text())`, {
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    })
    expect(trusting).toBe('ok')
  })

  it('are those of `fetch` for an invalid URL and for one with a password', async () => {
    await using server = await httpServer((_request, response) => void response.end())
    for (const address of ['nonsense', 'ftp://127.0.0.1/', server.url.replace('//', '//user:secret@')])
      expect(await errorOf(nodeFetch(address))).toBeInstanceOf(TypeError)
    expect(server.sockets()).toBe(0)
  })
})

const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhello'
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

describe('aborting a nodeFetch', () => {
  it('sends nothing when the signal has already aborted', async () => {
    await using server = await httpServer((_request, response) => void response.end())
    expect(await errorOf(nodeFetch(server.url, { signal: AbortSignal.abort('why') }))).toBe('why')
    expect(server.sockets()).toBe(0)
  })

  it('fails with the reason while it connects', async () => {
    await using server = await httpServer((_request, response) => void response.end())
    const controller = new AbortController()
    const call = errorOf(nodeFetch(server.url, { signal: controller.signal }))
    controller.abort('why')
    expect(await call).toBe('why')
  })

  it('fails with the reason before the headers, and closes the connection', async () => {
    const controller = new AbortController()
    await using server = await httpServer(() => controller.abort('why'))
    expect(await errorOf(nodeFetch(server.url, { signal: controller.signal }))).toBe('why')
    await server.closed
  })

  it.each(['signal', 'callSignal'])(
    'fails with the reason in the body by %s, and closes the connection',
    async (by) => {
      await using server = await httpServer((_request, response) => void response.write('begun'))
      const controller = new AbortController()
      const { signal } = controller
      const other = new AbortController().signal
      const response = await nodeFetch(
        server.url,
        by === 'signal' ? { signal } : { signal: other, [callSignal]: signal },
      )
      expect(getEventListeners(other, 'abort')).toHaveLength(0)
      const text = errorOf(response.text())
      controller.abort('why')
      expect(await text).toBe('why')
      await server.closed
    },
  )

  it('closes the connection of an unread body', async () => {
    await using server = await httpServer((_request, response) => void response.write('begun'))
    const controller = new AbortController()
    await nodeFetch(server.url, { signal: controller.signal })
    controller.abort()
    await server.closed
  })

  it('does not retry after a kept connection broke', async () => {
    const controller = new AbortController()
    await using server = await rawServer((socket, before) => {
      if (before === 0) return socket.write(ok)
      controller.abort('why')
      return socket.resetAndDestroy()
    })
    await textOf(server.url)
    expect(await errorOf(nodeFetch(server.url, { signal: controller.signal }))).toBe('why')
    expect(server.sockets()).toBe(1)
  })

  it('leaves no listener on a shared signal, and does not affect the next call', async () => {
    await using server = await rawServer((socket, before) => {
      if (before === 3) socket.end()
      else socket.write(ok)
    })
    const controller = new AbortController()
    const { signal } = controller
    for (let call = 0; call < 3; call++) await textOf(server.url, { signal })
    await errorOf(nodeFetch(server.url, { signal }))
    await errorOf(nodeFetch('http://127.0.0.1:1', { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    const next = textOf(server.url)
    controller.abort()
    expect(await next).toBe('ok')
  })
})

/** Node's fetch follows the environment since 22.21 and 24. */
const hasEnvProxy = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')

describe('requests that nodeFetch passes to the global fetch', () => {
  it.each([301, 302, 303, 307, 308])(
    'follows %i within its origin, and sends nothing to other origins',
    async (status) => {
      let asked = 0
      await using other = await httpServer((_request, response) => {
        asked++
        response.end()
      })
      await using server = await httpServer((request, response) => {
        if (request.url === '/end') response.end(`${request.method} ${request.headers.authorization}`)
        else response.writeHead(status, { location: request.url === '/here' ? '/end' : other.url }).end()
      })
      const call = { method: 'POST', body: 'a', headers: { authorization: 'Bearer key' } }
      const method = status < 304 ? 'GET' : 'POST'
      expect(await (await nodeFetch(`${server.url}/here`, call)).text()).toBe(`${method} Bearer key`)
      expect(await nodeFetch(`${server.url}/there`, call)).toMatchObject({ status, ok: false })
      expect(asked).toBe(0)
      expect(await nodeFetch(`${server.url}/here`, { ...call, redirect: 'manual' })).toMatchObject({ status })
      expect(await errorOf(nodeFetch(`${server.url}/here`, { ...call, redirect: 'error' }))).toBeInstanceOf(TypeError)
    },
  )

  it('sends a request once whose redirect its caller reads', async () => {
    let asked = 0
    await using server = await httpServer((_request, response) => {
      asked++
      response.writeHead(307, { location: '/end' }).end()
    })
    const response = await nodeFetch(server.url, { method: 'POST', body: 'a', redirect: 'manual' })
    expect(response).toMatchObject({ status: 307, ok: false })
    expect(response.headers.get('location')).toBe('/end')
    expect(asked).toBe(1)
  })

  it.each([
    [300, 'with', { location: '/end' }],
    [304, 'with', { location: '/end' }],
    [307, 'without', {}],
    [200, 'with', { location: '/end' }],
  ])('returns %i %s a location as a response', async (status, _with, headers) => {
    await using server = await httpServer((_request, response) => void response.writeHead(status, headers).end())
    const response = await nodeFetch(server.url)
    expect(response).toBeInstanceOf(NodeResponse)
    expect(response.status).toBe(status)
  })

  it.each<[string, NodeFetchInit]>([
    ['bytes', { body: new Uint8Array([97]) }],
    ['a form', { body: new URLSearchParams('a') }],
    ['a stream', { body: bodyOf('a'), duplex: 'half' } as NodeFetchInit],
    ['what it does not know', { body: 'a', integrity: '', keepalive: true }],
  ])('sends %s with the global fetch', async (_name, init) => {
    await using server = await httpServer(async (request, response) => {
      response.end((await request.toArray()).join('').slice(0, 1))
    })
    const response = await nodeFetch(server.url, { method: 'POST', ...init })
    expect(response).not.toBeInstanceOf(NodeResponse)
    expect(await response.text()).toBe('a')
  })

  it('sends a Request with the global fetch, which keeps its signal', async () => {
    await using server = await httpServer(() => {})
    const controller = new AbortController()
    const call = errorOf(nodeFetch(new Request(server.url, { signal: controller.signal })))
    controller.abort('why')
    expect(await call).toBe('why')
  })

  it('rejects a GET with a body, as fetch does', async () => {
    await using server = await httpServer((_request, response) => void response.end())
    expect(await errorOf(nodeFetch(server.url, { body: 'a' }))).toBeInstanceOf(TypeError)
    expect(server.sockets()).toBe(0)
  })

  it('passes other protocols to the global fetch', async () => {
    expect(await (await nodeFetch('data:text/plain,hello')).text()).toBe('hello')
  })

  it("calls another fetch, with the call's signal", async () => {
    const fetch = vi.fn(async (_input: unknown, _init?: RequestInit) => new Response('stub'))
    vi.stubGlobal('fetch', fetch)
    const { signal } = new AbortController()
    const call = nodeFetch('http://127.0.0.1:1', { signal: new AbortController().signal, [callSignal]: signal })
    expect(await (await call).text()).toBe('stub')
    expect(fetch.mock.calls[0]?.[1]?.signal).toBe(signal)
  })

  it.each([
    ['NODE_USE_ENV_PROXY', { NODE_USE_ENV_PROXY: '1' }, []],
    ['--use-env-proxy', {}, hasEnvProxy ? ['--use-env-proxy'] : []],
  ])('uses a proxy of the environment that %s turns on', async (_name, env, flags) => {
    await using target = await httpServer((_request, response) => void response.end('target'))
    await using proxy = await tunnel()
    const script = `console.log(await (await nodeFetch(${JSON.stringify(target.url)})).text())`
    const proxied = await node(script, { ...env, HTTP_PROXY: proxy.url, http_proxy: proxy.url, no_proxy: '' }, flags)
    expect(proxied).toBe('target')
    expect(proxy.sockets()).toBe(hasEnvProxy ? 1 : 0)
    await node(script, { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NODE_USE_ENV_PROXY: '' })
    expect(proxy.sockets()).toBe(hasEnvProxy ? 1 : 0)
  })
})

/** A proxy that forwards, both by CONNECT and by absolute address. */
async function tunnel(): ReturnType<typeof httpServer> {
  const server = createServer((request, response) => {
    httpRequest(request.url ?? '', { method: request.method ?? 'GET' }, (answer) => answer.pipe(response)).end()
  })
  server.on('connect', (request, socket) => {
    const { hostname, port } = new URL(`http://${request.url}`)
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  return { closed: Promise.resolve(), ...(await listening(server, '127.0.0.1', 'http')) }
}

/** The output of a separate process. */
async function node(script: string, env: Record<string, string> = {}, flags: string[] = []): Promise<string> {
  const file = fileURLToPath(new URL('./node-fetch.ts', import.meta.url))
  const whole = `import { nodeFetch } from ${JSON.stringify(file)}\n${script}`
  const args = [...flags, '--no-warnings', '--conditions=@agentkit/source', '--input-type=module', '--eval', whole]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...env },
    timeout: 60_000,
  })
  return stdout.trim()
}

function selfSigned(): { key: string; cert: string } | undefined {
  if (spawnSync('openssl', ['version']).error) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-tls-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert]
    const name = ['-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync('openssl', ['req', '-x509', ...made, ...name], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
