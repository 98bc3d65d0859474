import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { Agent } from '@agentkit/core'
import { type Span, type SpanStart, setTracer } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listen, newServer, oldServer } from './__fixtures__/sdk-servers.ts'
import { call, tempFolder } from './__fixtures__/servers.ts'
import { mcp } from './mcp.ts'

afterEach(() => void vi.useRealTimers())

describe('a server of the SDK 1.x', () => {
  it.each([{ sessions: false }, { sessions: true }])('over HTTP, %o, is called', async (options) => {
    const server = await oldServer(options)
    const tools = await mcp({ url: server.url, headers: { 'x-key': 'k' }, pins: false })
    expect(await call(tools, 'echo', { text: 'hello' })).toBe('hello')
    expect(server.requests.every(({ headers }) => headers['x-key'] === 'k')).toBe(true)
    await tools.close()
    await server.close()
  })

  it('receives the trace that a call belongs to', async () => {
    const server = await oldServer()
    const tools = await mcp({ url: server.url, pins: false })
    const started: SpanStart[] = []
    const span: Span = { id: '', within: (work) => work(), link() {}, end() {} }
    const remove = setTracer({
      start(about) {
        started.push(about)
        return span
      },
      continueTrace: (_, work) => work(),
      headers: () => ({ traceparent: '00-1-2-01' }),
    })
    try {
      await call(tools, 'echo', { text: 'hello' })
    } finally {
      remove()
    }
    expect(server.requests[0]?.headers.traceparent).toBeUndefined()
    expect(server.requests.at(-1)?.headers.traceparent).toBe('00-1-2-01')
    expect(started).toEqual([
      { type: 'mcp', method: 'tools/call', tool: 'echo', protocol: '2025-11-25', server: new URL(server.url) },
    ])
    await tools.close()
    await server.close()
  })

  it('whose tool is destructive makes its calls wait for approval', async () => {
    const server = await oldServer()
    const tools = await mcp({ url: server.url, pins: false })
    const model = scriptedModel([{ toolCalls: [{ name: 'remove', input: { file: 'a.txt' } }] }, 'Removed.'])
    const agent = new Agent({ name: 'Clerk', functions: [tools], model })
    const { runId, approvals, finishReason } = await agent.stream('Remove it.').result
    expect(finishReason).toBe('approval')
    const decisions = Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true as const]))
    const { messages } = await agent.resume(runId, decisions).result
    expect(messages.find(({ role }) => role === 'tool')?.content).toBe('removed a.txt')
    await agent.close()
    await server.close()
  })

  it('that has forgotten the session is connected once more for the call', async () => {
    const server = await oldServer({ sessions: true })
    const tools = await mcp({ url: server.url, pins: false })
    server.forget()
    expect(await call(tools, 'echo', { text: 'again' })).toBe('again')
    await tools.close()
    await server.close()
  })
})

describe('a server with sessions that answers 400 once it has restarted', () => {
  it.each([
    ['{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}', 1],
    ['{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}', 1],
    ['Invalid session ID', 1],
    // The call may be what it refuses.
    ['{"jsonrpc":"2.0","error":{"code":-32602,"message":"The text is wrong."},"id":null}', 0],
  ])('%s, is connected once more where the session is refused', async (refusal, connections) => {
    const server = await oldServer({ sessions: true, refusal })
    const tools = await mcp({ url: server.url, pins: false })
    const sent = server.requests.length
    server.forget()
    const answer = await call(tools, 'echo', { text: 'again' }).catch(({ code }) => code)
    expect(answer).toBe(connections === 1 ? 'again' : 'network')
    const withoutSession = server.requests.slice(sent).filter(({ headers }) => !headers['mcp-session-id'])
    expect(withoutSession).toHaveLength(connections)
    await tools.close()
    await server.close()
  })
})

describe('calls that run when a server has forgotten their session', () => {
  it('are all sent again, although the first one has opened another connection meanwhile', async () => {
    const answered = Promise.withResolvers<void>()
    let refusals = 0
    const server = await oldServer({
      sessions: true,
      beforeRefusal: () => (++refusals === 1 ? undefined : answered.promise),
    })
    const tools = await mcp({ url: server.url, pins: false })
    server.forget()
    const calls = ['one', 'two', 'three'].map((text) => call(tools, 'echo', { text }))
    await Promise.race(calls)
    answered.resolve()
    expect(await Promise.all(calls)).toEqual(['one', 'two', 'three'])
    await tools.close()
    await server.close()
  })

  it('are sent again, although another call replaces the connection on which the tools are read again', async () => {
    const lost = new Set<unknown>()
    const isListing = Promise.withResolvers<void>()
    const mayList = Promise.withResolvers<void>()
    let sessions = 0
    let second: string | undefined
    const server = await listen(async (request, response) => {
      const session = request.headers['mcp-session-id']
      if (lost.has(session)) return response.writeHead(404).end()
      response.setHeader('mcp-session-id', session ?? String(++sessions))
      const onCall = (id: unknown) =>
        answerWith(response, { id, result: { content: [{ type: 'text', text: session }] } })
      const onList = async () => {
        if (session !== second) return
        isListing.resolve()
        await mayList.promise
      }
      return plainServer(onCall, onList)(request, response)
    })
    const tools = await mcp({ url: server.url, pins: false })
    // Requests before the handshake have none either.
    const first = sessions
    second = String(first + 1)
    const third = String(first + 2)
    lost.add(String(first))
    const one = call(tools, 'echo')
    await isListing.promise
    lost.add(second)
    expect(await call(tools, 'echo')).toBe(third)
    mayList.resolve()
    expect(await one).toBe(third)
    await tools.close()
    await server.close()
  })
})

describe('a server of the SDK 2.x', () => {
  it('over HTTP is called by the newest protocol', async () => {
    const server = await newServer()
    const tools = await mcp({ url: server.url, pins: false })
    expect(await call(tools, 'echo', { text: 'hello' })).toBe('hello\n{"text":"hello"}')
    expect(server.requests.at(-1)?.headers['mcp-protocol-version']).toBe('2026-07-28')
    await tools.close()
    await server.close()
  })
})

describe('a server over HTTP', () => {
  it('keeps no program alive', async () => {
    const server = await oldServer({ sessions: true })
    using temp = tempFolder()
    const script = join(temp.folder, 'app.ts')
    const source = JSON.stringify(new URL('./mcp.ts', import.meta.url))
    // A timer that is left would keep the program for longer than this test may take.
    const options = JSON.stringify({ url: server.url, pins: false, timeoutMs: 600_000 })
    const context = '{ signal: new AbortController().signal }'
    const work = `const [echo] = await mcp(${options})\nconsole.log(await echo.execute({ text: 'called' }, ${context}))`
    writeFileSync(script, `import { mcp } from ${source}\n${work}\n`)
    const env = { PATH: process.env.PATH, NODE_OPTIONS: '--conditions=@agentkit/source' }
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
    expect(stdout).toBe('called\n')
    expect(server.requests.map(({ method }) => method)).toContain('GET')
    await server.close()
  })

  it.each([
    [401, 'auth'],
    [403, 'auth'],
    [500, 'network'],
    [302, 'network'],
  ])('that answers %i is %s, and its text is in no message', async (status, code) => {
    const server = await listen(({ headers }, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(`no entrance with ${headers.authorization}`),
    )
    const headers = { authorization: 'secret-of-the-user' }
    const error = await mcp({ url: `${server.url}?key=secret`, headers, pins: false }).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code })
    // As a logger shows it, with its causes.
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('secret')
    await server.close()
  })

  it.each([
    ['an error', (text: string) => ({ error: { code: -32001, message: text } })],
    ['a result', (text: string) => ({ result: { isError: true, content: [{ type: 'text', text }] } })],
  ])(
    'that refuses a call by %s with the credentials it was sent does not show them to the model',
    async (_, refuse) => {
      const headers = { authorization: 'Basic YWRhOmx2bHZs', 'x-api-key': 'key-of-the-app', 'x-team': 'garden' }
      const refusal = `Basic YWRhOmx2bHZs, key-of-the-app and query-key are not of the team garden; YWRhOmx2bHZs is ada`
      const server = await listen(plainServer((id, response) => answerWith(response, { id, ...refuse(refusal) })))
      const tools = await mcp({ url: `${server.url}?api_key=query-key`, headers, pins: false })
      const model = scriptedModel([{ toolCalls: [{ name: 'echo' }] }, 'I cannot.'])
      const result = await new Agent({ name: 'Clerk', functions: [tools], model }).stream('Echo.').result
      expect(JSON.stringify([result, model.requests])).not.toMatch(/YWRhOmx2bHZs|key-of-the-app|query-key/)
      expect(JSON.stringify(model.requests)).toContain(
        '[redacted], [redacted] and [redacted] are not of the team garden',
      )
      await tools.close()
      await server.close()
    },
  )

  it.each([404, 200, 308])('that answers %i with a page has its MCP under another path', async (status) => {
    const server = await listen((_, response) =>
      response.writeHead(status, { 'content-type': 'text/html', location: '/en' }).end('<h1>Shop</h1>'),
    )
    await expect(mcp({ url: server.url, pins: false })).rejects.toThrow('Correct the path of its `url`')
    await server.close()
  })

  it.each([301, 302, 307, 308])(
    'that redirects by %i to another origin does not have its headers sent there',
    async (status) => {
      const elsewhere = await listen((_, response) => response.writeHead(404).end())
      const server = await listen((_, response) => response.writeHead(status, { location: elsewhere.url }).end())
      const headers = { 'x-key': 'secret-of-the-user' }
      await expect(mcp({ url: server.url, headers, pins: false })).rejects.toMatchObject({ code: 'network' })
      expect(elsewhere.requests).toEqual([])
      await server.close()
      await elsewhere.close()
    },
  )

  it('that speaks another revision than its lock file has is connected', async () => {
    using temp = tempFolder()
    const server = await oldServer()
    const pins = join(temp.folder, 'lock.json')
    writeFileSync(pins, JSON.stringify({ version: 1, servers: { desk: { era: 'modern', tools: {} } } }))
    const tools = await mcp({ url: server.url, name: 'desk', pins })
    expect(await call(tools, 'echo', { text: 'hello' })).toBe('hello')
    await tools.close()
    await server.close()
  })

  it('that does not answer is timeout', async () => {
    const server = await listen(() => {})
    const connecting = mcp({ url: server.url, pins: false, timeoutMs: 300 })
    await expect(connecting).rejects.toMatchObject({ code: 'timeout' })
    await server.close()
  })

  it('that needs long for its first answer is connected within `timeoutMs`', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = plainServer((id, response) => answerWith(response, { id, result: { content: [] } }))
    let isAwake = false
    const server = await listen(async (request, response) => {
      const ms = isAwake ? 0 : 25_000
      isAwake = true
      await vi.advanceTimersByTimeAsync(ms)
      answer(request, response)
    })
    const tools = await mcp({ url: server.url, pins: false, timeoutMs: 30_000 })
    expect(tools.map(({ name }) => name)).toContain('echo')
    vi.useRealTimers()
    await tools.close()
    await server.close()
  })

  it('that sends more than the bound ends the call', async () => {
    const content = [{ type: 'text', text: 'x'.repeat(11 * 1024 * 1024) }]
    const server = await listen(plainServer((id, response) => answerWith(response, { id, result: { content } })))
    const tools = await mcp({ url: server.url, pins: false })
    await expect(call(tools, 'echo')).rejects.toThrow('more than 10485760 bytes')
    await tools.close()
    await server.close()
  })

  it('that answers a call with 429 has not executed it', async () => {
    const server = await listen(plainServer((_id, response) => response.writeHead(429).end('Slow down')))
    const tools = await mcp({ url: server.url, pins: false })
    await expect(call(tools, 'echo')).rejects.toMatchObject({
      ...{ code: 'rate-limit', retryable: true },
      message: expect.stringContaining('was not executed: the server receives too many requests (HTTP 429)'),
    })
    await tools.close()
    await server.close()
  })

  it('that speaks an unknown version of the protocol cannot be used, and is not said to be absent', async () => {
    const server = await listen(plainServer(() => {}, undefined, '2099-01-01'))
    await expect(mcp({ url: server.url, pins: false })).rejects.toMatchObject({
      ...{ code: 'network', retryable: false },
      message: expect.stringContaining('it speaks a version of the protocol that is not supported'),
    })
    await server.close()
  })

  it.each([
    ['ends', (response: ServerResponse) => response.end()],
    ['breaks off', (response: ServerResponse) => response.destroy()],
    [
      'ends after two pieces, of which the first ends like the id of an event,',
      (response: ServerResponse) =>
        response.write(': grid:1', () => setImmediate(() => response.end(' is a comment\n\n'))),
    ],
  ])('whose stream %s without an answer has lost the call, long before its time is over', async (_, end) => {
    const server = await listen(
      plainServer((_id, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'hi' } }
        response.write(`event: message\ndata: ${JSON.stringify(note)}\n\n`, () => end(response))
      }),
    )
    const tools = await mcp({ url: server.url, pins: false, timeoutMs: 600_000 })
    await expect(call(tools, 'echo')).rejects.toThrow('lost its connection: it may have been executed')
    await tools.close()
    await server.close()
  })
})

/** A server with the tool `echo`, whose calls are answered by a function. */
function plainServer(
  onCall: (id: unknown, response: ServerResponse) => void,
  onList: () => Promise<void> = async () => {},
  protocolVersion = '2025-06-18',
): RequestListener {
  const serverInfo = { name: 'x', version: '1' }
  const results: Record<string, unknown> = {
    initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  }
  return async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, method } = JSON.parse(text || '{}')
    if (request.method !== 'POST') return void response.writeHead(405).end()
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/call') return onCall(id, response)
    if (method === 'tools/list') await onList()
    const error = { code: -32601, message: 'Method not found' }
    answerWith(response, { id, ...(results[method] ? { result: results[method] } : { error }) })
  }
}

function answerWith(response: ServerResponse, answer: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...answer }))
}
