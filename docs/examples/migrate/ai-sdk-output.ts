import { Agent } from 'agentkit'
import { z } from 'zod'

const agent = new Agent({
  name: 'Recipes',
  model: 'openai/gpt-5.4-mini',
  output: z.object({ name: z.string(), minutes: z.number() }),
})

const result = await agent.stream('A recipe for pancakes').result
if (result.finishReason === 'stop') console.log(result.output.minutes)
