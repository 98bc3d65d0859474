import { Agent } from 'agentkit'
import { z } from 'zod'

const agent = new Agent({
  name: 'Expenses',
  instruction: 'You read receipts.',
  model: 'offline/extractive',
  output: z.object({ shop: z.string(), euros: z.number() }),
})

const { finishReason, output, error } = await agent.stream('Shop: Paper House, 23 euros').result
if (finishReason === 'stop')
  console.log(output.shop, output.euros * 2) // typed, and validated
else console.log(finishReason, error?.message)
await agent.close()
