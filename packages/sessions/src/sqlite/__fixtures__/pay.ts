// An agent that pays once the call is approved, and writes a line to a file for each payment.
// node pay.ts <path> <file> ask      starts the run, prints the ids of the run and of its approval, and stays alive
// node pay.ts <path> <file> grant    prints "ready"; approves the run of the input line "<runId> <approvalId>", and
//                                    prints the answer or the error's code
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Agent, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { sqliteSessions } from '@agentkit/sessions'

const [path = '', file = '', what] = process.argv.slice(2)
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  needsApproval: true,
  execute: () => appendFileSync(file, 'paid\n'),
})
const model = scriptedModel(what === 'ask' ? [{ toolCalls: [{ name: 'pay' }] }] : ['Paid.'])
const agent = new Agent({ name: 'Payer', functions: [pay], model, sessions: sqliteSessions(path) })
const input = createInterface({ input: process.stdin })

if (what === 'ask') {
  const { runId, approvals } = await agent.stream('Pay', { userId: 'ann', sessionId: 's' }).result
  console.log(`${runId} ${approvals[0]?.approvalId}`)
} else {
  console.log('ready')
  input.once('line', async (line) => {
    const [runId = '', approvalId = ''] = line.split(' ')
    const { error, text } = await agent.resume(runId, { [approvalId]: true }, { userId: 'ann' }).result
    console.log(error?.code ?? text)
  })
}
