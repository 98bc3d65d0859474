// Begins a run and prints "begun"; for each input line, appends to the run and prints "ok" or the error's code.
// node hold-run.ts <path> <heartbeatMs>
import { createInterface } from 'node:readline'
import { isAgentKitError } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'

const [path = '', heartbeatMs = '2000'] = process.argv.slice(2)
const store = sqliteSessions(path, { heartbeatMs: Number(heartbeatMs) })
const key = { agentId: 'helper', userId: 'ann', sessionId: 'shared' }
await store.begin(key, { runId: 'held', expectedVersion: 0, input: [{ v: 1, role: 'user', content: 'Hello' }] })
console.log('begun')
for await (const text of createInterface({ input: process.stdin })) {
  try {
    await store.append('held', [{ v: 1, role: 'assistant', content: [{ type: 'text', text }] }])
    console.log('ok')
  } catch (error) {
    console.log(isAgentKitError(error) ? error.code : String(error))
  }
}
await store.close()
