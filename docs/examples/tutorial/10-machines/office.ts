import { join } from 'node:path'
import { Agent, Swarm, tool } from 'agentkit'
import { z } from 'zod'

const model = 'offline/extractive'
// A file is shared by processes of one machine; machines share a Postgres: SESSIONS=postgres://…
const sessions = process.env.SESSIONS ?? 'agentkit-data/office.db'

const daysLeft = tool({
  name: 'days_left',
  description: 'The days of holiday that an employee has left.',
  input: z.object({ employee: z.string() }),
  idempotent: true, // after a crash it is simply called again
  execute: ({ employee }) => ({ employee, days: employee === 'ada' ? 12 : 30 }),
})

const handbook = new Agent({
  name: 'Handbook',
  description: 'Knows the rules of the company: holidays, trains, meals.',
  model,
  sessions,
  retrieve: true,
  // Each machine has the files, and its own index of them.
  retriever: {
    folder: join(import.meta.dirname, '../07-files/handbook'),
    indexPath: process.env.INDEX ?? 'agentkit-data/index',
  },
})
const people = new Agent({
  name: 'People',
  description: 'Knows how many days of holiday an employee has left.',
  functions: [daysLeft],
  model,
  sessions,
})

export const office = new Swarm({
  name: 'Office',
  instruction: 'You answer questions of employees, from what the members found.',
  agents: [handbook, people],
  collaboration: 'parallel',
  model,
  sessions,
  budget: { modelCalls: 20, seconds: 120 },
})
