import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const weather = tool({
  name: 'weather',
  description: 'The weather in a city, now.',
  input: z.object({ city: z.string().describe('Name of the city') }),
  execute: async ({ city }) => {
    const response = await fetch(`https://wttr.in/${encodeURIComponent(city)}?format=j1`)
    return response.ok ? response.json() : null
  },
})

const agent = new Agent({
  name: 'Weather',
  instruction: 'You answer questions about the weather, in one sentence.',
  functions: [weather],
})

console.log(await agent.chat('Do I need an umbrella in Oslo?', { sessionId: 'ada' }))
await agent.run() // serves it on http://127.0.0.1:8000
