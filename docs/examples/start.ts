import { Agent } from 'agentkit'

/**
 * The current weather in a city.
 * @param city Name of the city
 */
async function weather(city: string) {
  const response = await fetch(`https://wttr.in/${encodeURIComponent(city)}?format=j1`)
  return response.ok ? response.json() : null
}

const agent = new Agent({
  name: 'Weather',
  instruction: 'You answer questions about the weather, in one sentence.',
  functions: [weather],
})

console.log(await agent.chat('Do I need an umbrella in Oslo?', { sessionId: 'ada' }))
await agent.run() // serves it on http://127.0.0.1:8000
