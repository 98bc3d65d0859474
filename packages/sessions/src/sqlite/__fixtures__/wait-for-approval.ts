// An agent that looks something up, then waits for approval to pay. Its tools write a line to a file for each call.
// node wait-for-approval.ts <path> <file> [sessionId]
// Prints the ids of the run and of its approval; approves at an input line, and prints "paying" in a call that never ends.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Agent, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { sqliteSessions } from '@agentkit/sessions'

const [path = '', file = '', sessionId] = process.argv.slice(2)
const input = { type: 'object' }
const look = tool({
  name: 'look',
  description: 'Looks.',
  input,
  execute: () => appendFileSync(file, 'looked\n'),
})
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input,
  needsApproval: true,
  execute() {
    appendFileSync(file, 'paid\n')
    console.log('paying')
    return new Promise(() => {})
  },
})
const model = scriptedModel([
  { toolCalls: [{ name: 'look', callId: 'look' }] },
  { toolCalls: [{ name: 'pay', callId: 'pay' }, { name: 'look', callId: 'look' }] },
])
const agent = new Agent({ name: 'Payer', functions: [look, pay], model, sessions: sqliteSessions(path) })
const run = agent.stream('Pay', { userId: 'ann', ...(sessionId === undefined ? {} : { sessionId }) })
createInterface({ input: process.stdin }).on('line', (approvalId) => run.approve(approvalId))
for await (const event of run) {
  if (event.type === 'approval-request') console.log(`${event.runId} ${event.approvalId}`)
}
