import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { until } from '../__fixtures__/requests.ts'
import { defaultLimits, type Limits } from '../limits.ts'
import { createCapacity } from './capacity.ts'
import { boundConnections, inTurn } from './connections.ts'

const opened: { server: Server; client: Socket }[] = []

afterEach(() => {
  for (const { server, client } of opened.splice(0)) {
    client.destroy()
    server.closeAllConnections()
    server.close()
  }
})

type Open = { server: Server; client: Socket; socket: Socket; answer(): string }

/** A client and the server's side of its connection. */
async function open(handle: RequestListener, changes: Partial<Limits> = {}): Promise<Open> {
  const limits = { ...defaultLimits, ...changes }
  const capacity = createCapacity(limits, fakeAgent(), { hasAuth: false })
  const server = createServer(inTurn(handle, limits, capacity))
  boundConnections(server, { limits, log: () => {} }, capacity)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connected = once(server, 'connection')
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  let received = ''
  client.on('data', (chunk) => {
    received += chunk
  })
  const [socket] = (await connected) as [Socket]
  opened.push({ server, client })
  return { server, client, socket, answer: () => received }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const numbered = (count: number): string => Array.from({ length: count }, (_, index) => get(`/${index}`)).join('')

/** Waits for pending work of the event loop. */
async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('one connection', () => {
  it('handles its requests one after the other, in order', async () => {
    const handled: string[] = []
    let atOnce = 0
    const { client, answer } = await open(({ url = '' }, response) => {
      handled.push(url)
      expect(++atOnce).toBe(1)
      setImmediate(() => {
        atOnce--
        response.end(`<${url}>`)
      })
    })
    client.write(numbered(30))
    await until(() => answer().includes('</29>'))
    expect(handled).toEqual(Array.from({ length: 30 }, (_, index) => `/${index}`))
    expect(answer().match(/<[^>]+>/g)).toEqual(handled.map((url) => `<${url}>`))
  })

  it('starts no request before the previous one is answered', async () => {
    let handled = 0
    const { client, socket } = await open(() => handled++)
    client.write(numbered(900))
    await until(() => socket.isPaused())
    await turns()
    expect(handled).toBe(1)
  })

  it('is not read further while answers are pending', async () => {
    const { client, socket } = await open(() => {})
    client.write(numbered(400_000))
    await until(() => socket.isPaused())
    const read = socket.bytesRead
    await turns()
    expect(socket.bytesRead).toBe(read)
    expect(read).toBeLessThan(256 * 1024)
  })

  it('lets other connections be served between its requests', async () => {
    let turn = 0
    const handledIn: number[] = []
    const { client, answer } = await open((_request, response) => {
      handledIn.push(turn)
      response.end('ok')
    })
    let counting = true
    const count = (): void => {
      turn++
      if (counting) setImmediate(count)
    }
    count()
    client.write(numbered(100))
    await until(() => answer().split('\r\n\r\nok').length === 101)
    counting = false
    expect(new Set(handledIn).size).toBe(100)
  })

  it('continues when a request with a body waits behind others', async () => {
    const { client, answer } = await open(async (request, response) => {
      let length = 0
      for await (const chunk of request) length += chunk.length
      response.end(`<${request.url} ${length}>`)
    })
    const body = 'x'.repeat(300_000)
    const post = `POST /last HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    client.write(numbered(20) + post)
    await until(() => answer().includes('</last 300000>'))
  })

  it('is closed after its last request, when every answer has been sent', async () => {
    const { client, answer } = await open((request, response) => void response.end(`<${request.url}>`), {
      requestsPerConnection: 3,
    })
    client.write(numbered(5_000))
    await once(client, 'close')
    expect(answer().match(/<[^>]+>/g)).toEqual(['</0>', '</1>', '</2>'])
    expect(answer().toLowerCase().split('connection: close')).toHaveLength(2)
  })

  it('is closed when its waiting requests exceed the memory limit', async () => {
    const { client } = await open(() => {}, { heldBytes: 20_000 })
    client.write(numbered(100))
    await once(client, 'close')
  })

  it('is dropped when its client does not read the answer', async () => {
    const { client, socket } = await open((_request, response) => void response.end(Buffer.alloc(64 * 1024 * 1024)), {
      stalledMs: 100,
    })
    client.pause()
    client.write(get('/'))
    await once(socket, 'close')
  })

  it('is dropped when its client stops reading an answer that is still written', async () => {
    const { client, socket } = await open((_request, response) => void response.write(Buffer.alloc(64 * 1024 * 1024)), {
      stalledMs: 100,
    })
    client.pause()
    client.write(get('/'))
    await once(socket, 'close')
  })

  it('may wait longer for the rest of an answer than its client may stall', async () => {
    let answerRest: (() => void) | undefined
    const { client, socket, answer } = await open((_request, response) => {
      expect(response.write(Buffer.alloc(64 * 1024 * 1024))).toBe(false)
      response.once('drain', () => {
        answerRest = () => response.end('rest')
      })
    })
    client.write(get('/'))
    await until(() => answerRest !== undefined)
    expect(socket.timeout).toBeGreaterThan(defaultLimits.deadlineMs)
    answerRest?.()
    await until(() => answer().includes('rest'))
  })

  it('may wait longer for the next answer than its client may stall', async () => {
    let answerSecond: (() => void) | undefined
    const { client, socket, answer } = await open(
      (request, response) => {
        if (request.url === '/0') response.end(Buffer.alloc(64 * 1024 * 1024))
        else answerSecond = () => response.end('second')
      },
      { stalledMs: 30_000 },
    )
    client.write(numbered(2))
    await until(() => answerSecond !== undefined)
    expect(socket.timeout).toBeGreaterThan(defaultLimits.deadlineMs)
    answerSecond?.()
    await until(() => answer().endsWith('second'))
  })
})

describe('many connections', () => {
  it('are refused beyond the limit, with Retry-After, until one has closed', async () => {
    const { server, client, socket } = await open((_request, response) => void response.end('ok'), { connections: 1 })
    const { port } = server.address() as AddressInfo
    const second = connect(port, '127.0.0.1')
    let answer = ''
    second.on('data', (chunk) => {
      answer += chunk
    })
    await once(second, 'close')
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1\r\n.*"code":"overloaded"/s)
    expect(answer).toContain('content-type: application/problem+json')
    client.destroy()
    await once(socket, 'close')
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('ok')
  })
})

describe('a client that is refused while it sends', () => {
  it.each([
    ['that says its length', 'Content-Length: 40000000', (chunk: Buffer) => [chunk]],
    ['in chunks', 'Transfer-Encoding: chunked', (chunk: Buffer) => ['f4240\r\n', chunk, '\r\n']],
  ])('gets its answer after a body %s', async (_name, header, frame) => {
    const { client, answer } = await open((request, response) => {
      request.once('data', () => response.writeHead(413, { connection: 'close' }).end('too large'))
    })
    let failure: Error | undefined
    client.on('error', (error) => {
      failure = error
    })
    // A client that reads nothing before it has sent everything.
    client.pause()
    client.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`)
    const chunk = Buffer.alloc(1_000_000)
    for (let sent = 0; sent < 40; sent++) {
      for (const piece of frame(chunk)) if (!client.write(piece)) await once(client, 'drain')
    }
    client.resume()
    await once(client, 'close')
    expect(answer()).toMatch(/^HTTP\/1\.1 413 .*too large/s)
    expect(failure).toBeUndefined()
  })
})
