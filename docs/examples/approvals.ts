import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const pay = tool({
  name: 'pay',
  description: 'Pays an invoice.',
  input: z.object({ invoice: z.string().describe('Number of the invoice'), euros: z.number() }),
  needsApproval: ({ euros }) => euros > 100, // or true: always
  execute: ({ invoice, euros }) => `Invoice ${invoice}: ${euros} euros paid.`,
})

const agent = new Agent({ name: 'Payer', functions: [pay], model: 'offline/extractive' })

const run = agent.stream('Pay invoice 17: 250 euros', { sessionId: 'ada' })
for await (const event of run) {
  if (event.type === 'approval-request') {
    console.log('May this run?', event.name, event.input)
    run.approve(event.approvalId) // or run.deny(event.approvalId, 'Too much.')
  }
  if (event.type === 'tool-result') console.log(event.output)
}
await agent.close()
