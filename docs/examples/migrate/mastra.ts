import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.string() }),
  needsApproval: true,
  execute: async ({ order }) => `Order ${order} is refunded.`,
})

const agent = new Agent({
  name: 'Support',
  instruction: 'You answer customers, briefly.',
  functions: [refund],
  model: 'openai/gpt-5.4-mini',
  sessions: 'agentkit-data/sessions.db', // or postgres://…
})

const run = agent.stream('Refund order A7, please.', { userId: 'ada', sessionId: 'thread-1' })
for await (const event of run) {
  if (event.type === 'approval-request') run.approve(event.approvalId)
  if (event.type === 'text-delta') process.stdout.write(event.text)
}
