import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, memorySessions, type ToolContext } from 'agentkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getTransactionReceipt } from './get-transaction-receipt.ts'

const hash = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const receipt = { transactionHash: hash, from: '0xaaa1', to: '0xbbb2', status: '0x1' }
let closers: (() => void)[] = []
let printed: string[] = []

beforeEach(() => {
  printed = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  for (const close of closers) close()
  closers = []
})

/** A JSON-RPC node on loopback with the same answer to all requests, or none. */
async function startNode(answer?: string): Promise<unknown[]> {
  const requests: unknown[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      requests.push(JSON.parse(body))
      if (answer !== undefined) response.setHeader('content-type', 'application/json').end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close().closeAllConnections())
  // A server that listens on a port has an AddressInfo.
  vi.stubEnv('RPC_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return requests
}

function call(signal: AbortSignal = new AbortController().signal): Promise<unknown> {
  const context: ToolContext = { signal, userId: 'test', runId: 'run', callId: 'call', cite: () => {} }
  return getTransactionReceipt(hash, context)
}

describe('getTransactionReceipt', () => {
  it('returns the receipt of a known transaction', async () => {
    const requests = await startNode(JSON.stringify({ jsonrpc: '2.0', id: 1, result: receipt }))
    expect(await call()).toEqual(receipt)
    expect(requests).toMatchObject([{ method: 'eth_getTransactionReceipt', params: [hash] }])
    expect(printed).toEqual([])
  })

  it('returns null for an unknown hash', async () => {
    await startNode(JSON.stringify({ jsonrpc: '2.0', id: 1, result: null }))
    expect(await call()).toBeNull()
  })

  it.each([
    ['is not JSON', '<html>'],
    ['is not JSON-RPC', '[1]'],
  ])('prints a message and gives null when the answer %s', async (_what, answer) => {
    await startNode(answer)
    expect(await call()).toBeNull()
    expect(printed).toEqual([expect.stringContaining('no usable answer')])
  })

  it("prints the node's error and returns null", async () => {
    await startNode(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'method not found' } }))
    expect(await call()).toBeNull()
    expect(printed).toEqual(['getTransactionReceipt: The node refused: method not found'])
  })

  it("escapes terminal control characters of the node's error", async () => {
    const message = '\u001b]52;c;cm0=\u0007\r'
    await startNode(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 1, message } }))
    expect(await call()).toBeNull()
    expect(printed).toEqual(['getTransactionReceipt: The node refused: \\u001b]52;c;cm0=\\u0007\\u000d'])
  })

  it('prints a message without the address and returns null when the node is down', async () => {
    await startNode('')
    for (const close of closers) close()
    vi.stubEnv('RPC_URL', `${process.env.RPC_URL}/secret-key`)
    expect(await call()).toBeNull()
    expect(printed).toEqual([expect.stringContaining('ECONNREFUSED')])
    expect(printed[0]).not.toContain('secret-key')
  })

  it('prints how to set RPC_URL and returns null when it is not set', async () => {
    vi.stubEnv('RPC_URL', '')
    expect(await call()).toBeNull()
    expect(printed).toEqual([expect.stringContaining('RPC_URL is not set')])
  })

  it('stops when its signal aborts', async () => {
    await startNode()
    await expect(call(AbortSignal.timeout(20))).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('is not called with an invalid hash', async () => {
    vi.stubEnv('RPC_URL', '')
    const agent = new Agent({
      name: 'Test',
      functions: [getTransactionReceipt],
      model: 'offline/extractive',
      sessions: memorySessions(),
    })
    expect(await agent.chat('Who is the sender of transaction 0x5c50?')).toContain('does not say "transactionHash"')
    expect(printed).toEqual([])
    await agent.close()
  })

  it('lets the agent name the sender', async () => {
    await startNode(JSON.stringify({ jsonrpc: '2.0', id: 1, result: receipt }))
    const agent = new Agent({
      name: 'Test',
      functions: [getTransactionReceipt],
      model: 'offline/extractive',
      sessions: memorySessions(),
    })
    expect(await agent.chat(`Who is the sender of this transaction - ${hash}`)).toContain('sender: 0xaaa1')
    await agent.close()
  })
})
