import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SeenRequest = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }
export type Answer = (response: ServerResponse, request: SeenRequest) => unknown

/** A server on loopback that answers each request with the given handler. */
export type Loopback = AsyncDisposable & {
  /** With `/v1`. */
  baseURL: string
  requests: SeenRequest[]
  /** Connections that were opened. */
  sockets(): number
  /** Settles when a client has closed a connection. */
  closed: Promise<void>
}

export async function loopback(answer: Answer): Promise<Loopback> {
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
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    sockets: () => sockets,
    closed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

export function sse(...events: unknown[]): string {
  return events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')
}

export function streaming(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' })
}

/** Answers with a status and a JSON body. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers })
    response.end(JSON.stringify(body))
  }
}

export const chatDelta = (content: string): object => ({ choices: [{ index: 0, delta: { content } }] })

const chatEvents = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
  chatDelta('grüße '),
  chatDelta('🦊'),
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } },
  '[DONE]',
]

const responsesEvents = [
  { type: 'response.created', response: { id: 'resp_1' } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } },
  { type: 'response.output_text.delta', output_index: 0, delta: 'grüße ' },
  { type: 'response.output_text.delta', output_index: 0, delta: '🦊' },
  { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [] } },
  {
    type: 'response.completed',
    response: { status: 'completed', usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 } },
  },
]

/** The same short answer on each wire. */
export const answers: { api: 'chat' | 'responses'; path: string; text: string }[] = [
  { api: 'chat', path: '/v1/chat/completions', text: sse(...chatEvents) },
  { api: 'responses', path: '/v1/responses', text: sse(...responsesEvents) },
]
