import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const pay = tool({
  name: 'pay',
  description: 'Pays an invoice.',
  input: z.object({ invoice: z.string(), euros: z.number() }),
  needsApproval: true,
  execute: ({ invoice, euros }) => `Invoice ${invoice}: ${euros} euros paid.`,
})
const agent = new Agent({ name: 'Payer', functions: [pay], model: 'offline/extractive' })

for (const { runId, userId, approvals } of await agent.runs({ status: 'waiting' })) {
  for (const { approvalId, name, input, kind } of approvals) {
    console.log(userId, name, input, kind)
    await agent.decide(runId, { [approvalId]: { deny: 'The shop is closed.' } }, { by: 'kim' })
  }
  // The process that serves the agent, or a worker, continues the run. Without one, this one does:
  console.log((await agent.resume(runId, {}).result).text)
}
await agent.close()
