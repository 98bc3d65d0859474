import { Agent } from 'agentkit'
import { z } from 'zod'

const agent = new Agent({
  name: 'Intake',
  functions: [],
  model: 'offline/extractive',
  output: z.object({ name: z.string(), email: z.email(), seats: z.number().int().positive() }),
})

const { finishReason, output } = await agent.stream('Name: Ada Lovelace, ada@example.com, 3 seats please').result
if (finishReason === 'stop') console.log(output.seats * 12, output.email) // typed, and validated
