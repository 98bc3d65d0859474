// Suspends a run, prints "waiting", and exits when its input ends.
// node suspend-run.ts <path>
import { sqliteSessions } from '@agentkit/sessions'

const store = sqliteSessions(process.argv[2] ?? '')
const key = { agentId: 'helper', userId: 'ann', sessionId: 'shared' }
const call = { type: 'tool-call', callId: 'a', name: 'pay', input: {} } as const
await store.begin(key, { runId: 'parked', expectedVersion: 0, input: [{ v: 1, role: 'user', content: 'Pay' }] })
await store.append('parked', [{ v: 1, role: 'assistant', content: [call] }], { asks: 'a' })
await store.end('parked', 'waiting', { totalTokens: 5 })
console.log('waiting')
process.stdin.resume()
