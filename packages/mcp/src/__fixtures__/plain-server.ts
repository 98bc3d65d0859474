import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen } from './sdk-servers.ts'

export type PlainTool = { name: string; description: string; inputSchema: object }

/** A server over HTTP with sessions, which forgets them and may have other tools when it restarts. */
export async function plainServer(listed: readonly PlainTool[]) {
  let tools = listed
  let sessions = new Set<string>()
  let calls = 0
  let lists = 0
  let mayAnswer: Promise<void> | undefined
  const streams = new Set<ServerResponse>()
  const answers: Record<string, () => object> = {
    'tools/list': () => {
      lists++
      return { tools }
    },
    'tools/call': () => {
      calls++
      return { content: [{ type: 'text', text: 'called' }] }
    },
  }
  const server = await listen(async (request, response) => {
    if (request.method === 'GET') {
      streams.add(response)
      response.on('close', () => streams.delete(response))
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = (await json(request)) as { id?: number; method: string; params?: { protocolVersion?: string } }
    let session = String(request.headers['mcp-session-id'])
    if (method === 'initialize') {
      session = crypto.randomUUID()
      sessions.add(session)
      response.setHeader('mcp-session-id', session)
    }
    if (method !== 'initialize' && request.headers['mcp-session-id'] !== undefined && !sessions.has(session)) {
      return void response.writeHead(404).end()
    }
    if (id === undefined) return void response.writeHead(202).end()
    const serverInfo = { name: 'plain', version: '1' }
    const handshake = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo }
    const result = method === 'initialize' ? handshake : answers[method]?.()
    const error = { code: -32601, message: 'Method not found' }
    if (method === 'tools/call') await mayAnswer
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
  })
  return {
    ...server,
    calls: () => calls,
    lists: () => lists,
    /** Has other tools, and reports so, `times` times. */
    change(changed: readonly PlainTool[], times = 1): void {
      tools = changed
      const report = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`
      for (const stream of streams) stream.write(report.repeat(times))
    },
    /** How many streams beside the calls are open. */
    streams: () => streams.size,
    /** Answers no call until then. */
    hold(until: Promise<void> | undefined): void {
      mayAnswer = until
    },
    restart(changed: readonly PlainTool[]): void {
      tools = changed
      sessions = new Set()
    },
  }
}
