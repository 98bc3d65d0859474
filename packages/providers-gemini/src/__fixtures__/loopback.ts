import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SeenRequest = { url: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }
export type Answer = (response: ServerResponse, request: SeenRequest) => unknown

/** A server on loopback that answers each request with the given handler. */
export type Loopback = AsyncDisposable & {
  baseURL: string
  requests: SeenRequest[]
  /** Settles when a client has closed a connection before its answer was complete. */
  closed: Promise<void>
}

export async function loopback(answer: Answer): Promise<Loopback> {
  const requests: SeenRequest[] = []
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const seen = { url: request.url ?? '', headers: request.headers, body: text ? JSON.parse(text) : {} }
    requests.push(seen)
    response.on('close', () => {
      if (!response.writableFinished) resolve()
    })
    await answer(response, seen)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}`,
    requests,
    closed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Events as Gemini frames them. */
export function sse(...chunks: unknown[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\r\n\r\n`).join('')
}

export function streaming(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** Answers with chunks. */
export function chunks(...all: unknown[]): Answer {
  return (response) => streaming(response).end(sse(...all))
}

/** Answers with a status and a JSON body. */
export function json(status: number, body: unknown): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
}

/** A chunk with these parts, and the reason for which the answer ends. */
export function candidate(parts: object[], finishReason?: string, finishMessage?: string): object {
  return {
    candidates: [
      {
        content: { role: 'model', parts },
        index: 0,
        ...(finishReason && { finishReason }),
        ...(finishMessage && { finishMessage }),
      },
    ],
  }
}

/** An error as Google writes it. */
export function googleError(code: number, status: string, message: string, details: object[] = []): { error: object } {
  return { error: { code, message, status, ...(details.length > 0 && { details }) } }
}
