// Writes turns to a session until it is stopped, and prints the run of each turn once it is stored.
// node write-turns.ts <path> <name> [<turns>]
import { writeSync } from 'node:fs'
import { isAgentKitError } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'

const [path = '', name = '', turns = 'Infinity'] = process.argv.slice(2)
const key = { agentId: 'helper', userId: 'ann', sessionId: 'shared' }
const store = sqliteSessions(path)

for (let turn = 0; turn < Number(turns); ) {
  const runId = `${name}-${turn}`
  const expectedVersion = (await store.load(key))?.version ?? 0
  try {
    await store.begin(key, { runId, expectedVersion, input: [{ v: 1, role: 'user', content: runId }] })
  } catch (error) {
    // The other writer was faster.
    if (!isAgentKitError(error) || error.code !== 'session-conflict') throw error
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
    continue
  }
  const call = { type: 'tool-call', callId: runId, name: 'echo', input: { text: 'x'.repeat(2000) } } as const
  await store.append(runId, [{ v: 1, role: 'assistant', content: [call] }])
  await store.append(runId, [{ v: 1, role: 'tool', callId: runId, name: 'echo', content: 'x' }])
  await store.append(runId, [{ v: 1, role: 'assistant', content: [{ type: 'text', text: runId }] }])
  await store.end(runId, 'done', { totalTokens: turn })
  writeSync(1, `${runId}\n`)
  turn++
}
await store.close()
