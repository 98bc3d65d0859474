import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const reimburse = tool({
  name: 'reimburse',
  description: 'Pays an employee an amount back.',
  input: z.object({ employee: z.string(), euros: z.number() }),
  needsApproval: ({ euros }) => euros > 50,
  execute: ({ employee, euros }) => `${euros} euros are on their way to ${employee}.`,
})

const agent = new Agent({
  name: 'Expenses',
  functions: [reimburse],
  model: 'offline/extractive',
  sessions: 'agentkit-data/office.db',
})

// The run waits in the database. This process could end here.
const waiting = await agent.stream('Reimburse the employee "ada": 80 euros', { userId: 'ada' }).result
console.log(waiting.finishReason, waiting.approvals)

// Later, in this process or another one, a person decides.
const decisions = Object.fromEntries(waiting.approvals.map(({ approvalId }) => [approvalId, true as const]))
const { text } = await agent.resume(waiting.runId, decisions, { userId: 'ada' }).result
console.log(text)
await agent.close()
