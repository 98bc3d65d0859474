import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from '@agentkit/core'
import { afterEach, expect, it, vi } from 'vitest'
import { openai } from './provider.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('reuses no connection after six idle seconds, with a server that closes connections after five', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let requests = 0
  const usedAt = new WeakMap<object, number>()
  const server = createServer((request, response) => {
    const { socket } = request
    const idleMs = Date.now() - (usedAt.get(socket) ?? Date.now())
    // The race that is lost: the request comes when the server has decided to close.
    if (idleMs > 5000) return void socket.resetAndDestroy()
    usedAt.set(socket, Date.now())
    requests++
    request.resume().on('end', () => {
      const choices = [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`)
    })
  })
  // Node's own names its limit in every answer.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    // It listens on a port, so its address has one.
    const { port } = server.address() as AddressInfo
    const model = openai({ apiKey: 'test', baseURL: `http://127.0.0.1:${port}/v1` }).model('gpt-4.1')
    const agent = new Agent({ name: 'Test', functions: [], model, retry: { attempts: 2, firstWaitMs: 1 } })
    let restarts = 0
    for (let turn = 0; turn < 200; turn++) {
      for await (const event of agent.stream('Hello?')) if (event.type === 'step-restart') restarts++
      vi.setSystemTime(Date.now() + 6000)
    }
    expect({ restarts, requests }).toEqual({ restarts: 0, requests: 200 })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
