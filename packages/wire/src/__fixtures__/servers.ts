import { createServer, type RequestListener, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

export type Server = AsyncDisposable & {
  /** Without a slash at the end. */
  url: string
  port: number
  /** Connections that were opened. */
  sockets(): number
  /** Settles when an answer was given up before its end. */
  closed: Promise<void>
}

/** A server on loopback. */
export async function httpServer(answer: RequestListener, host = '127.0.0.1'): Promise<Server> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) resolve()
    })
    return answer(request, response)
  })
  return { closed, ...(await listening(server, host, 'http')) }
}

/** A TCP server on loopback; `answer` gets each request, and the number of earlier ones on its connection. */
export async function rawServer(answer: (socket: Socket, before: number, data: Buffer) => void): Promise<Server> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const server = createTcpServer((socket) => {
    let before = 0
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.on('data', (data) => answer(socket, before++, data))
  })
  return { closed, ...(await listening(server, '127.0.0.1', 'http')) }
}

/** Starts a server of either kind, with or without TLS. */
export async function listening(
  server: ReturnType<typeof createTcpServer> | HttpServer,
  host: string,
  scheme: string,
): Promise<Omit<Server, 'closed'>> {
  const open = new Set<Socket>()
  let sockets = 0
  server.on('connection', (socket: Socket) => {
    sockets++
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    sockets: () => sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
