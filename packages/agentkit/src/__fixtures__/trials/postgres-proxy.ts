import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between processes and Postgres, on loopback. */
export type PostgresProxy = {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** Ends the connections, and refuses others until `heal`. */
  cut(): void
  /** Forwards nothing any more and ends nothing, as when a machine loses its power, until `heal`. */
  hang(): void
  /** Connections that hung stay as they are. */
  heal(): void
  /** New connections lead to this port. */
  leadTo(port: number): void
  close(): Promise<void>
}

export async function postgresProxy(url: string): Promise<PostgresProxy> {
  let port = Number(new URL(url).port)
  let isCut = false
  let hangs = false
  const sockets = new Set<Socket>()
  const hanging = new WeakSet<Socket>()
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      if (hangs) hanging.add(socket)
      socket.on('data', (chunk) => {
        if (!hanging.has(socket)) other.write(chunk)
      })
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        if (!hanging.has(socket)) other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxied = new URL(url)
  proxied.port = String((server.address() as AddressInfo).port) // it listens on a port
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: proxied.href,
    cut() {
      isCut = true
      endAll()
    },
    hang() {
      hangs = true
      for (const socket of sockets) hanging.add(socket)
    },
    heal() {
      isCut = false
      hangs = false
    },
    leadTo(other) {
      port = other
    },
    async close() {
      endAll()
      server.close()
      await once(server, 'close')
    },
  }
}
