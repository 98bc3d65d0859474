import { Agent } from 'agentkit'

const agent = new Agent({
  name: 'Analyst',
  functions: [],
  model: ['openai/gpt-5.4-mini', 'openai/gpt-6-luna'], // fallback: the second is used when the first fails
  budget: { usd: 0.1, seconds: 120 }, // of each run, including nested runs
})

const run = agent.stream('What is a Merkle tree?', { sessionId: 'ada', budget: { usd: 0.05 } })
for await (const event of run) {
  if (event.type === 'text-delta') process.stdout.write(event.text)
  if (event.type === 'step-restart') console.log(`\n${event.error.code}: this step begins again`)
  if (event.type === 'model-fallback') console.log(`${event.to} takes over from ${event.from}`)
}
const { finishReason, usage, cost, warnings, error } = await run.result
console.log({ finishReason, usage, cost, warnings, error: error?.message })
