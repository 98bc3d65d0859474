import { Agent } from 'agentkit'

const agent = new Agent({ name: 'Poet', functions: [], instruction: 'You answer in verse.' })

const run = agent.stream('What is an agent?', { sessionId: 'ada', timeoutMs: 60_000 })
for await (const event of run) {
  if (event.type === 'text-delta') process.stdout.write(event.text)
  if (event.type === 'tool-call') console.log('calls', event.name, event.input)
}
const { finishReason, usage, steps } = await run.result
console.log(finishReason, usage, steps)
