import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const pay = tool({
  name: 'pay',
  description: 'Pays an invoice.',
  input: z.object({ invoice: z.string().describe('Number of the invoice'), euros: z.number() }),
  needsApproval: true,
  execute: ({ invoice, euros }) => `Invoice ${invoice}: ${euros} euros paid.`,
})
const agent = new Agent({ name: 'Payer', functions: [pay], model: 'offline/extractive' })

const [waiting, answer] = process.argv.slice(2)
if (waiting === undefined) {
  const { finishReason, runId } = await agent.stream('Pay invoice 17: 250 euros', { sessionId: 'ada' }).result
  console.log(finishReason, runId) // keep the id; this process may end
} else {
  const { approvals } = await agent.resume(waiting, {}).result // no decision: returns the open approvals
  const decision = answer === 'yes' ? (true as const) : { deny: 'Not this month.' }
  const decisions = Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, decision]))
  const { text, error } = await agent.resume(waiting, decisions).result
  console.log(error?.message ?? text)
}
await agent.close()
