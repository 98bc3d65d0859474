import { Agent, Swarm, tool } from 'agentkit'
import { z } from 'zod'

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.string() }),
  needsApproval: true,
  execute: async ({ order }) => `Order ${order} is refunded.`,
})

const billing = new Agent({
  name: 'Billing',
  description: 'Refunds and invoices.',
  instruction: 'You handle refunds.',
  functions: [refund],
  model: 'openai/gpt-5.4-mini',
})
const triage = new Agent({
  name: 'Triage',
  instruction: 'You find out who can help.',
  model: 'openai/gpt-5.4-mini',
})
const desk = new Swarm({
  name: 'Desk',
  collaboration: 'handoff',
  agents: [triage, billing], // the first one begins
  maxSteps: 10,
})

let result = await desk.stream('Refund order A7, please.', { sessionId: 'ada' }).result
if (result.finishReason === 'approval') {
  const decisions = Object.fromEntries(result.approvals.map(({ approvalId }) => [approvalId, true as const]))
  result = await desk.resume(result.runId, decisions).result
}
console.log(result.text)
