import { Agent, workflow } from 'agentkit'
import { z } from 'zod'

const analyst = new Agent({
  name: 'Analyst',
  model: 'openai/gpt-5.4-mini',
  output: z.object({ sentiment: z.string() }),
})

const triage = workflow<{ email: string; amount: number }>({ name: 'Triage' })
  .step(analyst, { ask: ({ email }) => `The sentiment of this email: ${email}` })
  .step('merge', ({ sentiment }, { input }) => ({ ...input, sentiment, isUrgent: false }))
  .branch(
    ({ amount }) => amount > 100,
    (ticket) => ({ ...ticket, isUrgent: true }),
  )

const ticket = await triage.run({ email: 'I want my money back.', amount: 250 })
console.log(ticket.sentiment, ticket.isUrgent)
