import { Agent } from 'agentkit'
import { daysLeft } from '../02-tool/days-left.ts'

const agent = new Agent({
  name: 'Office',
  functions: [daysLeft],
  model: 'offline/extractive',
  budget: { modelCalls: 5, seconds: 60 }, // the run ends before it exceeds one of these
})

const run = agent.stream('How many days has the employee "kim" left?')
for await (const event of run) {
  if (event.type === 'text-delta') process.stdout.write(event.text)
  if (event.type === 'tool-call') console.log('calls', event.name, event.input)
  if (event.type === 'tool-result') console.log('returns', event.output)
}
const { finishReason, usage } = await run.result
console.log(`\n${finishReason}, ${usage.totalTokens} tokens`)
await agent.close()
