import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, tool } from 'agentkit'

const revenue = tool({
  name: 'revenue',
  description: 'The revenue of a quarter, such as Q3.',
  input: { type: 'object', properties: { quarter: { type: 'string' } }, required: ['quarter'] },
  idempotent: true, // reading twice does no harm: after a crash it is called again
  async execute({ quarter }) {
    await sleep(15_000) // a slow system
    return `The revenue of ${quarter} was 4.2 million.`
  },
})

export const reporter = new Agent({
  name: 'Reporter',
  functions: [revenue],
  model: 'offline/extractive', // or your model: 'openai/gpt-5.4-mini'
  sessions: process.env.SESSIONS ?? 'agentkit-data/sessions.db',
})
