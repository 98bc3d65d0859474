import { describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { createApp } from '../create-app.ts'

const origin = 'https://app.example.com'
const headersOf: Readonly<Record<string, string>> = {
  '/ui/chat': 'authorization,content-type,user-agent,x-user-id',
  '/v1/chat/completions': 'authorization,content-type,user-agent,x-session-id,x-stainless-os,x-stainless-retry-count',
  '/agui': 'authorization,content-type,x-user-id',
  '/a2a': 'a2a-extensions,a2a-version,authorization,content-type,x-user-id',
}
const dialects = ['openai', 'ui', 'agui', 'a2a'] as const
const quiet = { log: () => {}, dialects }

describe.each(Object.entries(headersOf))('a preflight for %s', (path, headers) => {
  const preflight: RequestInit = {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': headers },
  }

  it('of an allowed origin may send the headers of its client', async () => {
    const response = await createApp(fakeAgent(), { ...quiet, cors: { origins: [origin] } }).request(path, preflight)
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase().split(/, ?/)
    expect(allowed).toEqual(expect.arrayContaining(headers.split(',')))
  })

  it('is refused without cors', async () => {
    const response = await createApp(fakeAgent(), quiet).request(path, preflight)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.status).toBe(403)
  })

  it('is 404 where the dialect is not served', async () => {
    const app = createApp(fakeAgent(), { ...quiet, dialects: [] })
    const response = await app.request(path, { method: 'POST', body: '{}' })
    expect(response.status).toBe(404)
    expect(await response.text()).toMatch(/This server does not speak .*: add it to the list `dialects` of its options/)
  })
})

const long = 'x'.repeat(60_000)
const streams: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { model: 'fake', stream: true, messages: [{ role: 'user', content: long }] },
  '/v1/responses': { model: 'fake', stream: true, input: long },
  '/ui/chat': { id: 's', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: long }] }] },
  '/agui': { threadId: 's', runId: 'r', messages: [{ id: 'm', role: 'user', content: long }] },
  '/a2a': {
    ...{ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage' },
    params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: long }] } },
  },
  '/mcp': {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'ask_agent', arguments: { message: long } },
  },
}

it.each(Object.entries(streams))(
  'a stream of %s counts as held in memory until its run has begun',
  async (path, sent) => {
    const limits = { runs: 1, bodyBytes: 70_000, heldBytes: 100_000, heartbeatMs: 5 }
    const app = createApp(fakeAgent(['hang']), { log: () => {}, dialects: [...dialects, 'mcp'], limits })
    const headers = {
      'content-type': 'application/json',
      ...{ accept: 'application/json, text/event-stream', 'a2a-version': '1.0', 'mcp-protocol-version': '2025-11-25' },
    }
    const left = new AbortController()
    const request = { method: 'POST', headers, body: JSON.stringify(sent), signal: left.signal }
    const send = async () => (await app.request(path, request)).status
    // The first one runs, the second one waits for its place, and the heartbeat has begun its answer.
    expect([await send(), await send(), await send()]).toEqual([200, 200, 503])
    left.abort()
  },
)

describe('a path that no route has', () => {
  const post = { method: 'POST', body: '{}' }

  it('is 404 with the paths of a chat, as that of useChat is another one than its client assumes', async () => {
    const detail = 'There is no such route. A chat is POST /api/v1/chat, that of useChat POST /ui/chat.'
    const response = await createApp(fakeAgent(), quiet).request('/api/chat', post)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'not-found', detail })
  })

  it('is 404 with the paths that the server has', async () => {
    const app = createApp(fakeAgent(), { ...quiet, dialects: ['openai'], basePath: '/agent' })
    const { detail } = await (await app.request('/agent/v2', post)).json()
    expect(detail).toBe('There is no such route. A chat is POST /agent/api/v1/chat.')
    const { error } = await (await app.request('/agent/v1/embeddings', post)).json()
    expect(error.message).toBe(detail)
  })
})
