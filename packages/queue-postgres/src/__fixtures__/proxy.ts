import { once } from 'node:events'
import { createServer, connect as connectTo, type Socket } from 'node:net'

export interface Proxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** Ends all connections, and refuses new ones until `heal`. */
  cut(): void
  /** Lets statements through, and no answers, until `heal`. */
  loseAnswers(): void
  heal(): void
  close(): Promise<void>
}

/**
 * A proxy before Postgres, on loopback.
 * @param options.dropsNotifications drops messages of NOTIFY, as a pooler in transaction mode does
 * @param options.listensAfterMs the duration of a LISTEN, as on a busy server
 */
export async function startProxy(url: string, { dropsNotifications = false, listensAfterMs = 0 } = {}): Promise<Proxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  let losesAnswers = false
  const server = createServer((client) => {
    const upstream = connectTo(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    if (isCut) return void client.destroy()
    client.on('data', (chunk: Buffer) => {
      if (listensAfterMs > 0 && chunk.includes('LISTEN')) setTimeout(() => upstream.write(chunk), listensAfterMs)
      else upstream.write(chunk)
    })
    let rest = Buffer.alloc(0)
    upstream.on('data', (chunk: Buffer) => {
      if (losesAnswers) return
      if (!dropsNotifications) return void client.write(chunk)
      rest = Buffer.concat([rest, chunk])
      // Each message of the server: its type, and its length without the type.
      while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
        const length = rest.readInt32BE(1) + 1
        const message = rest.subarray(0, length)
        rest = rest.subarray(length)
        if (String.fromCharCode(message[0] ?? 0) !== 'A') client.write(message)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const proxied = new URL(url)
  proxied.port = String(typeof address === 'object' ? address?.port : '')
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: proxied.href,
    cut() {
      isCut = true
      endAll()
    },
    loseAnswers() {
      losesAnswers = true
    },
    heal() {
      isCut = false
      losesAnswers = false
    },
    async close() {
      endAll()
      server.close()
      await once(server, 'close')
    },
  }
}
