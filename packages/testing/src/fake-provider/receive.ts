import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connection } from './play-stream.ts'
import type { RecordedRequest } from './wires/script.ts'

/** Reads and records a request, and watches for disconnects. */
export async function receive(
  incoming: IncomingMessage,
  response: ServerResponse,
  requests: RecordedRequest[],
  isStopping: () => boolean,
): Promise<{ request: RecordedRequest; connection: Connection }> {
  let resetByUs = false
  let aborted = false
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      aborted = !response.writableFinished && !resetByUs && !isStopping()
      resolve()
    })
  })
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://127.0.0.1')
  const request: RecordedRequest = {
    method: incoming.method ?? '',
    path: pathname,
    query: recordQuery(searchParams),
    headers: recordHeaders(incoming),
    body: await readBody(incoming),
    get aborted() {
      return aborted
    },
    closed,
  }
  requests.push(request)
  const reset = (): void => {
    resetByUs = true
    incoming.socket.resetAndDestroy()
  }
  return { request, connection: { response, reset, closed } }
}

const keyHeaders = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'cookie']

function recordQuery(params: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = {}
  for (const [name, value] of params) query[name] = name === 'key' ? '[recorded]' : value
  return query
}

function recordHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers[name] = keyHeaders.includes(name) ? '[recorded]' : String(value)
  }
  return headers
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
