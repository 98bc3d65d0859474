import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { controlPlane } from './fake-pinecone-control.ts'
import { dataPlane } from './fake-pinecone-data.ts'
import { makeIndex } from './fake-pinecone-index.ts'
import type { Operation, Failure, Answer, FakeRequest, FakePinecone } from './fake-pinecone-types.ts'

export async function fakePinecone(): Promise<FakePinecone> {
  const failures: Failure[] = []
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => send(response, { status: 500, body: String(error) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakePinecone = {
    url,
    apiKey: 'pcsk_fake_0123456789_abcdefghijkl',
    indexes: new Map(),
    requests: [],
    requestsOf: (operation) => fake.requests.filter((request) => request.operation === operation),
    add(given) {
      const index = makeIndex({ ...given, host: `${url}/data/${given.name}` })
      fake.indexes.set(index.name, index)
      return index
    },
    fail: (failure) => void failures.push({ ...failure }),
    recover: () => void failures.splice(0),
    looksUntilReady: 0,
    onRequest: undefined,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts = await Array.fromAsync(request)
    const text = Buffer.concat(parts).toString()
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    const operation = operationOf(request.method ?? '', pathname)
    // The bodies of the requests that there are, are objects or empty.
    const body = (text ? JSON.parse(text) : {}) as Record<string, unknown>
    const bytes = Buffer.byteLength(text)
    fake.requests.push({ operation, bytes, url: request.url ?? '', headers: request.headers, body })
    await fake.onRequest?.(operation)

    if (request.headers['api-key'] !== fake.apiKey) return send(response, { status: 401, body: 'Invalid API Key' })
    const failure = nextFailure(operation)
    const asked = { method: request.method ?? '', path: pathname, query: searchParams, body, bytes }
    if (failure) {
      if (failure.after !== undefined) answer({ ...asked, body: { ...body, vectors: firstOf(body.vectors, failure.after) } })
      if (failure.reset) return void request.socket.destroy()
      const { status = 500, headers = {} } = failure
      return send(response, { status, body: failure.body ?? usualBody(status), headers })
    }
    send(response, answer(asked))
  }

  function answer(asked: FakeRequest): Answer {
    const [, dataOf, rest] = /^\/data\/([^/]+)(\/.*)$/.exec(asked.path) ?? []
    if (dataOf === undefined || rest === undefined) return controlPlane(fake, asked)
    const index = fake.indexes.get(dataOf)
    return index?.status.ready ? dataPlane(index, { ...asked, path: rest }) : { status: 404, body: '' }
  }

  function nextFailure(operation: Operation): Failure | undefined {
    const failure = failures.find(({ of }) => of === undefined || of === operation)
    if (!failure) return undefined
    failure.times = (failure.times ?? 1) - 1
    if (failure.times <= 0) failures.splice(failures.indexOf(failure), 1)
    return failure
  }
}

function operationOf(method: string, path: string): Operation {
  if (path.endsWith('/vectors/upsert')) return 'upsert'
  if (path.endsWith('/vectors/fetch')) return 'fetch'
  if (path.endsWith('/vectors/delete')) return 'delete'
  if (path.endsWith('/query')) return 'query'
  if (path.endsWith('/describe_index_stats')) return 'stats'
  if (path === '/indexes') return method === 'POST' ? 'create' : 'list'
  return path.startsWith('/indexes/') ? 'describe' : 'other'
}

function firstOf(vectors: unknown, count: number): unknown[] {
  return Array.isArray(vectors) ? vectors.slice(0, count) : []
}

function usualBody(status: number): string {
  if (status === 429) return '{"code":8,"message":"Too many requests. Request-per-second limit reached.","details":[]}'
  if (status === 503) return 'upstream connect error or disconnect/reset before headers. reset reason: overflow'
  return '{"code":2,"message":"Something went wrong.","details":[]}'
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const isText = typeof body === 'string'
  const payload = body === undefined ? '' : isText ? body : JSON.stringify(body)
  const type = isText && !payload.startsWith('{') ? 'text/plain' : 'application/json'
  response.writeHead(status, { 'content-type': type, 'x-pinecone-request-id': '6871913020958959605', ...headers })
  response.end(payload)
}
