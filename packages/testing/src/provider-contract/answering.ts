import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Server = AsyncDisposable & {
  url: string
  connections(): number
  /** Bytes on the wire that the connections have accepted so far. */
  sent(): number
  /** Settles when a connection closes before its answer is complete. */
  closed: Promise<void>
}

/** A server that responds to every request with this answer. */
export async function answering(answer: (response: ServerResponse) => void): Promise<Server> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let connections = 0
  let sent = 0
  const server = createServer((request, response) => {
    const { socket } = request
    response.on('close', () => {
      sent += socket.bytesWritten
      if (!response.writableFinished) resolve()
    })
    request.resume().on('end', () => answer(response))
  })
  server.on('connection', () => connections++)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    sent: () => sent,
    closed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
