import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { afterEach, expect, it, vi } from 'vitest'
import { limitProgress } from './limit-progress.ts'

afterEach(() => void vi.useRealTimers())

const progress = (value: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 1, progress: value },
})

it('drops progress above 10 notifications a second, and nothing else', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
  const transport: Pick<Transport, 'onmessage'> = {}
  limitProgress(transport as Transport) // it uses no other property
  const received: JSONRPCMessage[] = []
  transport.onmessage = (message: JSONRPCMessage) => void received.push(message)
  const send = (message: JSONRPCMessage): void => transport.onmessage?.(message)
  for (let value = 0; value < 100; value++) send(progress(value))
  expect(received).toHaveLength(10)
  const answer: JSONRPCMessage = { jsonrpc: '2.0', id: 1, result: {} }
  send(answer)
  expect(received.at(-1)).toBe(answer)
  vi.setSystemTime(1_001_000)
  send(progress(100))
  expect(received).toHaveLength(12)
})
