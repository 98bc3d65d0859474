import { join } from 'node:path'
import { Agent, type Model } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { createApp } from '../create-app.ts'

// Prints the bytes of each stored chat that minor collections leave in memory. Run by Node with --expose-gc.

const hello: Model = {
  id: 'test/hello',
  async *stream() {
    await new Promise(setImmediate)
    yield { type: 'text-delta', text: 'Hello.' }
    yield {
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
      message: { v: 1, role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    }
  },
}

const { gc: collect = () => {} } = globalThis
const sessions = sqliteSessions(join(process.argv[2] ?? '', 'sessions.db'))
const app = createApp(new Agent({ name: 'Clerk', functions: [], model: hello, sessions }), { log: () => {} })
let asked = 0

async function ask(): Promise<void> {
  const content = `${asked} ${'x'.repeat(50_000)}`
  const message = { session_id: `s${asked++}`, user_id: 'ann', messages: [{ role: 'user', content }] }
  const headers = { 'content-type': 'application/json', accept: 'text/plain' }
  const response = await app.request('/api/v1/chat', { method: 'POST', headers, body: JSON.stringify(message) })
  if ((await response.text()) !== 'Hello.') throw new Error(`A chat was answered with ${response.status}.`)
  if (asked % 100 === 0) collect({ type: 'minor' })
}

async function askTogether(chats: number): Promise<void> {
  const last = asked + chats
  const client = async (): Promise<void> => {
    while (asked < last) await ask()
  }
  await Promise.all(Array.from({ length: 12 }, client))
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  collect({ type: 'minor' })
  collect({ type: 'minor' })
}

await askTogether(600)
collect()
const before = process.memoryUsage().heapUsed
await askTogether(1_200)
console.log(Math.round((process.memoryUsage().heapUsed - before) / 1_200))
await sessions.close()
