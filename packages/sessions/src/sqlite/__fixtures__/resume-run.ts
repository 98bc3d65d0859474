// Prints "ready"; at an input line resumes the suspended run, prints "won" or the error's code, and stays alive.
// node resume-run.ts <path>
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { isAgentKitError } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'

const store = sqliteSessions(process.argv[2] ?? '')
const key = { agentId: 'helper', userId: 'ann', sessionId: 'shared' }
const expectedVersion = (await store.load(key))?.version ?? 0
const input = createInterface({ input: process.stdin })
console.log('ready')
await once(input, 'line')
try {
  await store.begin(key, { runId: 'parked', expectedVersion, input: [] })
  await store.append('parked', [{ v: 1, role: 'tool', callId: 'a', name: 'pay', content: 'paid' }])
  console.log('won')
} catch (error) {
  console.log(isAgentKitError(error) ? error.code : String(error))
}
