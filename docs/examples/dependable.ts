import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const refund = tool({
  name: 'refund',
  description: 'Pays a customer money back.',
  input: z.object({ order: z.string(), euros: z.number() }),
  needsApproval: ({ euros }) => euros > 50, // waits for approval
  execute: ({ order, euros }) => `${euros} euros for order ${order} are on their way.`,
})

const agent = new Agent({
  name: 'Support',
  functions: [refund],
  model: ['openai/gpt-5.4-mini', 'openai/gpt-6-luna'], // fallback: the next model is used when one fails
  budget: { usd: 0.1, seconds: 120 }, // no model call begins that could cost more
  output: z.object({ answer: z.string(), refunded: z.boolean() }),
})

const run = agent.stream('Order A7 came broken. I want my 80 euros back.', { sessionId: 'ada' })
for await (const event of run) {
  if (event.type === 'approval-request') run.approve(event.approvalId) // when a person has approved
}
const { finishReason, output, cost, error } = await run.result
if (finishReason === 'stop')
  console.log(output.answer, output.refunded, cost) // typed, and validated
else console.log(finishReason, error?.message)
