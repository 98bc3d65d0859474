import { Agent, tool } from 'agentkit'
import { z } from 'zod'

const weather = tool({
  name: 'weather',
  description: 'The weather in a city.',
  input: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: 'rain' }),
})

const agent = new Agent({
  name: 'Weather',
  instruction: 'You answer in one sentence.',
  functions: [weather],
  model: 'openai/gpt-5.4-mini',
  maxSteps: 5,
})

const text = await agent.chat('Do I need an umbrella in Oslo?')
console.log(text)

const run = agent.stream('And in Bergen?', { signal: AbortSignal.timeout(60_000) })
for await (const event of run) if (event.type === 'text-delta') process.stdout.write(event.text)
const { usage, finishReason } = await run.result
console.log(usage.totalTokens, finishReason)
