import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { newTools, oldTools } from './sdk-tools.ts'

export type HttpServer = { url: string; requests: IncomingMessage[]; close(): Promise<void> }

type OldServerOptions = {
  sessions?: boolean
  /** The body of an answer of 400 to an unknown session, in place of 404. */
  refusal?: string
  /** Called before a message of an unknown session is refused. */
  beforeRefusal?: () => Promise<void> | undefined
}

/** A server of the SDK 1.x over HTTP, with sessions or without. */
export async function oldServer(options: OldServerOptions = {}): Promise<HttpServer & { forget(): void }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const served = await listen(async (request, response) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known) return known.handleRequest(request, response)
    if (id !== undefined && request.method === 'POST') await options.beforeRefusal?.()
    if (id !== undefined && options.refusal !== undefined) return void response.writeHead(400).end(options.refusal)
    if (id !== undefined) return void response.writeHead(404).end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}')
    const transport = new StreamableHTTPServerTransport(
      options.sessions
        ? { sessionIdGenerator: () => crypto.randomUUID(), onsessioninitialized: (own) => void sessions.set(own, transport) }
        : {},
    )
    const server = oldTools()
    await server.connect(transport as never) // its types do not know exactOptionalPropertyTypes
    await transport.handleRequest(request, response)
  })
  return { ...served, forget: () => sessions.clear() }
}

/** A server of the SDK 2.x over HTTP, which speaks 2026-07-28 and the revisions before. */
export async function newServer(): Promise<HttpServer> {
  const handler = createMcpHandler(newTools)
  return listen(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', headers, url = '/' } = request
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const aborted = new AbortController()
    response.on('close', () => aborted.abort())
    const sent = new Request(`http://127.0.0.1${url}`, { method, headers: headers as Record<string, string>, signal: aborted.signal, ...body })
    const answer = await handler.fetch(sent)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.flushHeaders()
    if (answer.body) for await (const chunk of answer.body) response.write(chunk)
    response.end()
  })
}

/** An HTTP server on loopback. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<HttpServer> {
  const requests: IncomingMessage[] = []
  const server: Server = createServer(async (request, response) => {
    requests.push(request)
    try {
      await handle(request, response)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
