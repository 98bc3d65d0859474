import { join } from 'node:path'
import { Agent, Swarm } from 'agentkit'
import { daysLeft } from '../02-tool/days-left.ts'

const model = 'offline/extractive'
const handbook = new Agent({
  name: 'Handbook',
  description: 'Knows the rules of the company: holidays, trains, meals.',
  model,
  retrieve: true,
  retriever: { folder: join(import.meta.dirname, '../07-files/handbook'), indexPath: 'agentkit-data/index' },
})
const people = new Agent({
  name: 'People',
  description: 'Knows how many days of holiday an employee has left.',
  functions: [daysLeft],
  model,
})

const office = new Swarm({
  name: 'Office',
  instruction: 'You answer questions of employees from what the members found.',
  agents: [handbook, people],
  collaboration: 'parallel', // both at once; default: the swarm's model decides who gets which task
  model,
  budget: { modelCalls: 20, seconds: 120 }, // for all of them together
})

const run = office.stream('How many days of holiday has the employee "ada" left, and when do they expire?')
for await (const { path, ...event } of run) {
  if (event.type === 'tool-call') console.log(path.join(' > '), 'calls', event.name)
}
const { text, sources } = await run.result
console.log(text)
console.log(sources.map(({ file }) => file))
await office.close()
