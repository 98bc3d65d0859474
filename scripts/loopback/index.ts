import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SeenRequest = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }
export type Answer = (response: ServerResponse, request: SeenRequest) => unknown

/** A server on loopback that answers each request with the given handler. */
export type Loopback = AsyncDisposable & {
  baseURL: string
  requests: SeenRequest[]
  /** Connections that were opened. */
  sockets(): number
  /** Settles when a client has closed a connection before its answer was complete. */
  closed: Promise<void>
}

/** @param basePath the end of `baseURL`: `/v1` */
export async function loopback(answer: Answer, basePath = ''): Promise<Loopback> {
  const requests: SeenRequest[] = []
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let sockets = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const seen = { path: request.url ?? '', headers: request.headers, body: text ? JSON.parse(text) : {} }
    requests.push(seen)
    response.on('close', () => {
      if (!response.writableFinished) resolve()
    })
    await answer(response, seen)
  })
  server.on('connection', () => sockets++)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}${basePath}`,
    requests,
    sockets: () => sockets,
    closed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Answers with a status and a JSON body. */
export function json(status: number, body: unknown): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
}
