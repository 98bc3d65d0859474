import { Agent, Swarm } from 'agentkit'

/**
 * Describes numbers: their sum and their mean.
 * @param data The numbers
 */
function describeData(data: number[]) {
  const sum = data.reduce((total, number) => total + number, 0)
  return { sum, mean: sum / data.length }
}

const research = new Agent({ name: 'Research', description: 'Finds facts.' })
const analyst = new Agent({ name: 'Analyst', description: 'Analyzes data.', functions: [describeData] })
const reporter = new Agent({ name: 'Reporter', description: 'Writes reports.' })

const swarm = new Swarm({
  name: 'Research Team',
  instruction: 'You lead a research team.',
  agents: [research, analyst, reporter],
  budget: { usd: 0.5, seconds: 120 }, // for all members together
})

const run = swarm.stream('Can you analyze the following data: [1, 2, 3, 4, 5]', { sessionId: 'ada' })
for await (const { path, ...event } of run) {
  if (event.type === 'text-delta') console.log(path.join(' > '), event.text) // research-team > analyst
}
const { text, usage, cost } = await run.result
console.log(text, usage, cost)
