import { connect, createServer, type Socket } from 'node:net'

/** A proxy between a store and its Postgres, on loopback. */
export type TCPProxy = {
  /** The URL with the proxy's port. */
  urlOf(url: string): string
  /** New connections lead to this port. */
  leadTo(port: number): void
  /** Forwards the next request that contains the text (any, when absent), and loses its answer with the connection. */
  loseAnswer(text?: string): void
  /** How many answers were lost. */
  readonly lost: number
  /** Forwards the next request that contains the text, and keeps what is answered. @returns passes it on */
  keepAnswer(text: string): () => void
  /** Forwards the next request that contains the text, and nothing more on that connection, which stays open. */
  freezeAt(text: string): void
  /** Ends the open connections. */
  cut(): void
  /** Whether messages of LISTEN are passed on. A pooler of transactions loses them. */
  passesNotifications: boolean
  close(): Promise<void>
}

export async function tcpProxy(url: string): Promise<TCPProxy> {
  let target = Number(new URL(url).port)
  let awaited: string | undefined
  let frozenAt: string | undefined
  let keptAt: { text: string; passed: Promise<void> } | undefined
  let lost = 0
  const pairs = new Set<{ ends: [Socket, Socket]; isFrozen: boolean }>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const pair = { ends: [client, upstream] as [Socket, Socket], isFrozen: false }
    let losesAnswer = false
    let passed: Promise<void> | undefined
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of pair.ends) socket.on('error', end).on('close', end)
    client.on('data', (chunk) => {
      if (pair.isFrozen) return
      if (awaited !== undefined && chunk.includes(awaited)) {
        awaited = undefined
        losesAnswer = true
      }
      if (keptAt && chunk.includes(keptAt.text)) {
        passed = keptAt.passed
        keptAt = undefined
      }
      upstream.write(chunk)
      if (frozenAt === undefined || !chunk.includes(frozenAt)) return
      frozenAt = undefined
      pair.isFrozen = true
    })
    upstream.on('data', async (chunk) => {
      if (passed) await passed
      if (pair.isFrozen) return
      if (losesAnswer) {
        lost++
        end()
      } else client.write(proxy.passesNotifications ? chunk : withoutNotifications(chunk))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number } // it listens on a port

  const proxy: TCPProxy = {
    passesNotifications: true,
    urlOf(given) {
      const changed = new URL(given)
      changed.port = String(port)
      return changed.href
    },
    leadTo(other) {
      target = other
    },
    loseAnswer(text = '') {
      awaited = text
    },
    get lost() {
      return lost
    },
    keepAnswer(text) {
      const { promise, resolve } = Promise.withResolvers<void>()
      keptAt = { text, passed: promise }
      return resolve
    },
    freezeAt(text) {
      frozenAt = text
    },
    cut() {
      for (const { ends } of pairs) for (const socket of ends) socket.destroy()
    },
    async close() {
      proxy.cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

/** Removes messages of type A. Small messages arrive whole. */
function withoutNotifications(chunk: Buffer): Buffer {
  const kept: Buffer[] = []
  for (let at = 0; at + 5 <= chunk.length; ) {
    const end = at + 1 + chunk.readInt32BE(at + 1)
    if (chunk[at] !== 'A'.charCodeAt(0)) kept.push(chunk.subarray(at, end))
    at = end
  }
  return Buffer.concat(kept)
}
