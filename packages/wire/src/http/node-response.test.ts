import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { httpServer, rawServer } from '../__fixtures__/servers.ts'
import { bodyOf, context, errorOf, oneByteEach } from '../__fixtures__/streams.ts'
import { networkError } from '../errors/provider-error.ts'
import { nodeFetch } from './node-fetch.ts'
import { type BodyReader, NodeResponse } from './node-response.ts'

async function call(url: string): Promise<NodeResponse> {
  const response = await nodeFetch(url)
  if (response instanceof NodeResponse) return response
  throw new Error('It went by the web.')
}

async function readText(reader: BodyReader): Promise<string> {
  const { done, value } = await reader.read()
  return done ? '' : new TextDecoder().decode(value)
}

describe('a NodeResponse', () => {
  it('reads an error body up to a limit, and an answer to its end', async () => {
    const endless = Buffer.alloc(3_000_000, 'x')
    await using server = await httpServer((request, response) => {
      response.writeHead(request.url === '/ok' ? 200 : 500)
      response.write(endless)
      if (request.url === '/ok') response.end()
    })
    const refusal = await (await call(server.url)).text()
    expect(refusal.length).toBeGreaterThanOrEqual(1_048_576)
    expect(refusal.length).toBeLessThan(endless.length)
    expect(await (await call(`${server.url}/ok`)).text()).toHaveLength(endless.length)
  })

  it('has status, headers and URL', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(429, 'Slow Down', { 'set-cookie': ['a=1', 'b=2'], 'x-request-id': 'req_1' }).end()
    })
    const { ok, status, statusText, headers, url, redirected, type } = await call(`${server.url}/a?b`)
    expect({ ok, status, statusText, url, redirected, type }).toEqual({
      ok: false,
      status: 429,
      statusText: 'Slow Down',
      url: `${server.url}/a?b`,
      redirected: false,
      type: 'basic',
    })
    expect(headers.get('X-Request-Id')).toBe('req_1')
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it.each<[string, (response: Response) => Promise<unknown>, unknown]>([
    ['text', (response) => response.text(), '{"a":"ü"}'],
    ['json', (response) => response.json(), { a: 'ü' }],
    ['bytes', (response) => response.bytes(), new TextEncoder().encode('{"a":"ü"}')],
    ['arrayBuffer', (response) => response.arrayBuffer().then((buffer) => buffer.byteLength), 10],
    ['blob', (response) => response.blob().then((blob) => blob.text()), '{"a":"ü"}'],
    ['a clone', (response) => response.clone().json(), { a: 'ü' }],
    [
      'a stream',
      async (response) => Buffer.concat(await Array.fromAsync(response.body ?? bodyOf())).toString(),
      '{"a":"ü"}',
    ],
  ])('returns its body as %s', async (_name, read, expected) => {
    await using server = await httpServer((_request, response) => void response.end('{"a":"ü"}'))
    const response = await call(server.url)
    expect(response.bodyUsed).toBe(false)
    expect(await read(response)).toEqual(expected)
  })

  it('returns its body as a form', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' }).end('a=1')
    })
    expect((await (await call(server.url)).formData()).get('a')).toBe('1')
  })

  it('returns its body once, and a clone', async () => {
    await using server = await httpServer((_request, response) => void response.end('ok'))
    const response = await call(server.url)
    const clone = response.clone()
    expect(response.body).toBe(response.body)
    expect(await response.text()).toBe('ok')
    expect(response.bodyUsed).toBe(true)
    expect(await errorOf(response.text())).toBeInstanceOf(TypeError)
    expect(await clone.text()).toBe('ok')
  })

  it.each([204, 205, 304])('has no body with the status %i', async (status) => {
    await using server = await httpServer((_request, response) => void response.writeHead(status).end())
    const response = await call(server.url)
    expect(response.body).toBeNull()
    expect(await response.text()).toBe('')
  })

  it('has an empty body for a response without content', async () => {
    await using server = await httpServer((_request, response) => void response.end())
    expect(await (await call(server.url)).text()).toBe('')
  })

  it('reads a body with a status that Response does not accept', async () => {
    await using server = await rawServer((socket) => socket.end('HTTP/1.1 999 Denied\r\n\r\nno'))
    const response = await call(server.url)
    expect(response.status).toBe(999)
    expect(await response.text()).toBe('no')
  })

  it('joins a body that arrives byte by byte', async () => {
    await using server = await httpServer(async (_request, response) => {
      response.socket?.setNoDelay(true)
      for (const byte of oneByteEach('grüße 🦊')) {
        response.write(byte)
        await new Promise(setImmediate)
      }
      response.end()
    })
    expect(await (await call(server.url)).text()).toBe('grüße 🦊')
  })

  it('returns all buffered bytes as one piece', async () => {
    await using server = await httpServer((_request, response) => {
      response.cork()
      for (const piece of ['a', 'b', 'c']) response.write(piece)
      process.nextTick(() => response.uncork())
    })
    const reader = (await call(server.url)).bodyReader()
    expect(await readText(reader)).toBe('abc')
    await reader.cancel()
  })

  it('is readable by its reader after `body` was accessed', async () => {
    await using server = await httpServer((_request, response) => void response.end('ok'))
    const response = await call(server.url)
    expect(response.body).toBeInstanceOf(ReadableStream)
    await wait(10)
    expect(await readText(response.bodyReader())).toBe('ok')
    expect(await response.bodyReader().read()).toEqual({ done: true })
    expect(await response.bodyReader().read()).toEqual({ done: true })
  })

  it('applies back-pressure to a server that sends more than is read', async () => {
    const size = 48_000_000
    const { promise: answering, resolve } = Promise.withResolvers<ServerResponse>()
    await using server = await httpServer((_request, response) => {
      response.end(Buffer.alloc(size))
      resolve(response)
    })
    const reader = (await call(server.url)).bodyReader()
    const { socket } = await answering
    await wait(300)
    // The kernel decides how much the two ends of a loopback connection buffer; our own buffer is bounded.
    expect(socket?.bytesWritten).toBeGreaterThan(0)
    expect(socket?.writableLength).toBeGreaterThan(size / 2)
    expect((await reader.read()).value?.byteLength).toBeLessThan(300_000)
    let read = 0
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) read += piece.value?.byteLength ?? 0
    expect(read).toBeGreaterThan(size - 300_000)
  })

  it.each<[string, (response: NodeResponse) => unknown]>([
    ['its reader', (response) => response.bodyReader().cancel()],
    ['its body', (response) => response.body?.cancel()],
    ['the reader of its body', (response) => response.body?.getReader().cancel()],
    [
      'a loop over its body',
      async (response) => {
        for await (const _piece of response.body ?? []) break
      },
    ],
  ])('closes the connection when the reader of %s stops', async (_name, leave) => {
    await using server = await httpServer((_request, response) => void response.write('begun'))
    await leave(await call(server.url))
    await server.closed
  })
})

describe('a NodeResponse that breaks', () => {
  it('returns the bytes that arrived and then the error, also to a late reader', async () => {
    await using server = await httpServer((_request, response) => {
      response.write('begun')
      setTimeout(() => response.socket?.resetAndDestroy(), 20)
    })
    const reader = (await call(server.url)).bodyReader()
    await server.closed
    await wait(30)
    expect(await readText(reader)).toBe('begun')
    expect(await errorOf(reader.read())).toMatchObject({ message: 'terminated', cause: { code: 'ECONNRESET' } })
    expect(await errorOf(reader.read())).toMatchObject({ message: 'terminated' })
  })

  it('ends a pending read when the body is cancelled', async () => {
    await using server = await httpServer((_request, response) => response.flushHeaders())
    const reader = (await call(server.url)).bodyReader()
    const pending = errorOf(reader.read())
    await reader.cancel()
    expect(await pending).toMatchObject({ message: 'terminated', cause: { message: 'premature close' } })
  })
})

const codecs = [
  ['gzip', () => zlib.createGzip(), zlib.constants.Z_SYNC_FLUSH],
  ['x-gzip', () => zlib.createGzip(), zlib.constants.Z_SYNC_FLUSH],
  [' GZIP', () => zlib.createGzip(), zlib.constants.Z_SYNC_FLUSH],
  ['deflate', () => zlib.createDeflate(), zlib.constants.Z_SYNC_FLUSH],
  ['Deflate', () => zlib.createDeflateRaw(), zlib.constants.Z_SYNC_FLUSH],
  ['identity, gzip', () => zlib.createGzip(), zlib.constants.Z_SYNC_FLUSH],
  ['br', () => zlib.createBrotliCompress(), zlib.constants.BROTLI_OPERATION_FLUSH],
  ['zstd', () => zlib.createZstdCompress(), zlib.constants.ZSTD_e_flush],
] as const

describe('a compressed NodeResponse', () => {
  it.each(codecs)('of %j returns each event as it arrives', async (encoding, compress, flush) => {
    const next = Promise.withResolvers<void>()
    await using server = await httpServer(async (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding })
      const encoder = compress()
      encoder.pipe(response)
      encoder.write('data: first\n\n')
      encoder.flush(flush)
      await next.promise
      encoder.end('data: second\n\n')
    })
    const reader = (await call(server.url)).bodyReader()
    expect(await readText(reader)).toBe('data: first\n\n')
    next.resolve()
    expect(await readText(reader)).toBe('data: second\n\n')
    expect(await reader.read()).toEqual({ done: true })
    expect(await (await call(server.url)).text()).toContain('second')
    expect(server.sockets()).toBe(1)
  })

  it.each(['gzip', 'deflate', 'br', 'zstd'])('fails on invalid %s, and closes the connection', async (encoding) => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).write('data: this is no compressed text\n\n'.repeat(9))
    })
    const error = await errorOf((await call(server.url)).text())
    expect(error).toMatchObject({ name: 'TypeError', message: 'terminated', cause: { code: expect.any(String) } })
    expect(networkError(error, context)).toMatchObject({ code: 'network' })
    await server.closed
  })

  it('fails when the connection breaks in the middle', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(zlib.gzipSync('a'.repeat(99)).subarray(0, 20))
      setTimeout(() => response.socket?.resetAndDestroy(), 20)
    })
    expect(await errorOf((await call(server.url)).text())).toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  it('closes the connection when its reader stops', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(zlib.gzipSync('a').subarray(0, 10))
    })
    await (await call(server.url)).body?.cancel()
    await server.closed
  })

  it('of several codings is decoded as fetch decodes it, and closes the connection when one fails', async () => {
    const text = 'a long text '.repeat(20_000)
    const raw = zlib.deflateRawSync(text)
    await using server = await httpServer((request, response) => {
      const isWrong = request.url === '/wrong'
      response.writeHead(200, { 'content-encoding': isWrong ? 'br, gzip' : 'deflate, gzip,br' })
      if (isWrong) response.write(zlib.gzipSync(text))
      else response.end(zlib.brotliCompressSync(zlib.gzipSync(raw)))
    })
    expect(await (await fetch(server.url)).text()).toBe(text)
    expect(await (await call(server.url)).text()).toBe(text)
    const error = await errorOf((await call(`${server.url}/wrong`)).text())
    expect(error).toMatchObject({ message: 'terminated', cause: { code: expect.any(String) } })
  })

  it('of more codings than a server has is returned unchanged', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip,'.repeat(6) }).end('as it is')
    })
    expect(await (await call(server.url)).text()).toBe('as it is')
  })

  it.each(['identity', 'made-up', 'constructor'])('of %s is returned unchanged', async (encoding) => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('as it is')
    })
    expect(await (await call(server.url)).text()).toBe('as it is')
  })

  it('may be empty', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end()
    })
    expect(await (await call(server.url)).text()).toBe('')
  })
})
