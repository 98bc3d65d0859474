import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { limits } from './limits.ts'

type OnMessage = NonNullable<Transport['onmessage']>

/** Drops progress notifications of a transport above the bound; the others extend the timeouts of their calls. */
export function limitProgress(transport: Transport): void {
  const decided = new WeakMap<JSONRPCMessage, boolean>()
  let second = 0
  let count = 0
  const isKept = (message: JSONRPCMessage): boolean => {
    if (!('method' in message) || message.method !== 'notifications/progress') return true
    // The SDK chains handlers, so that a message may pass here several times.
    const earlier = decided.get(message)
    if (earlier !== undefined) return earlier
    const current = Math.floor(Date.now() / 1000)
    if (current !== second) count = 0
    second = current
    count++
    decided.set(message, count <= limits.progressPerSecond)
    return count <= limits.progressPerSecond
  }
  let handler: OnMessage | undefined = transport.onmessage
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler,
    set(next: OnMessage | undefined) {
      handler = next && ((message, extra) => void (isKept(message) && next(message, extra)))
    },
  })
}
