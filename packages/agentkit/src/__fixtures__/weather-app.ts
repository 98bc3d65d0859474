import { tool } from '@agentkit/core'
import { Agent } from '../agents/agent.ts'

// An app for `agentkit record` and `agentkit replay`: two agents, one of them called by a tool of the other.
const [question = 'Weather?', exitCode = '0'] = process.argv.slice(2)
const expert = new Agent({ name: 'Expert', functions: [], model: 'openai/gpt-5.4-mini', sessions: ':memory:' })
const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  input: { type: 'object', properties: { city: { type: 'string' } } },
  execute: ({ city }) => expert.chat(`Weather in ${city}?`),
})
const guide = new Agent({ name: 'Guide', functions: [weather], model: 'openai/gpt-5.4', sessions: ':memory:' })
const run = guide.stream(question)
for await (const event of run) {
  const { runId: _, ...printed } = 'durationMs' in event ? { ...event, durationMs: 0 } : event
  console.log(JSON.stringify(printed))
}
process.exitCode = Number(exitCode)
