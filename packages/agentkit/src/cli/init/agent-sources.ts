import { keyVariables } from '../../models/providers.ts'
import type { Template } from './templates.ts'

/** The sources of a template: its agent, the test of it, and a file for it to answer from. */
export function agentSources(template: Template): { agent: string; test: string; knowledge?: string } {
  switch (template) {
    case 'agent':
      return { agent: oneAgent, test: `${testHead}${oneTest}` }
    case 'swarm':
      return { agent: swarm, test: `${testHead}${swarmTest}` }
    case 'files':
      return { agent: filesAgent, test: `${testHead}${filesTest}`, knowledge: handbook }
  }
}

const currentTime = `/**
 * The current time in a time zone.
 * @param timeZone The IANA name of the time zone, such as Europe/Oslo
 */
export function currentTime(timeZone: string): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short', timeZone }).format(new Date())
}
`

const oneAgent = `import { Agent } from 'agentkit'

${currentTime}
export const agent = new Agent({
  name: 'Clock',
  instruction: 'You answer questions about the time, in one sentence.',
  functions: [currentTime],
})
`

const swarm = `import { Agent, Swarm } from 'agentkit'

${currentTime}
const clock = new Agent({
  name: 'Clock',
  description: 'Knows the time in every time zone.',
  functions: [currentTime],
})

const planner = new Agent({
  name: 'Planner',
  description: 'Finds a time for a meeting of people in several time zones.',
  instruction: 'You propose one time for a meeting, and say why.',
  functions: [],
})

export const agent = new Swarm({
  name: 'Meetings',
  instruction: 'You plan meetings with the help of your team.',
  agents: [clock, planner],
})
`

const filesAgent = `import { Agent } from 'agentkit'

export const agent = new Agent({
  name: 'Librarian',
  instruction: 'You answer from the files in the folder "files", and cite them.',
  functions: [],
})
`

const handbook = `# Handbook

## Holidays

Everybody has 30 days of holiday a year. Days that are left in December may be used until the end of March.

## Travel

Trips by train are booked in the second class. Receipts are sent to travel@example.com within a month.
`

const testHead = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '@agentkit/testing'
import { Agent } from 'agentkit'

// Tests do not read agentkit_config.toml: the agent of ./agent.ts has the default model here, which no test calls.
process.env.${keyVariables.openai.at(-1)} ||= 'no-key-is-needed'
`

const callsCurrentTime = `const { agent, currentTime } = await import('./agent.ts')

test('the function knows the time', () => {
  assert.match(currentTime('Europe/Oslo'), /\\d:\\d\\d/)
})

test('an agent calls the function, and answers', async () => {
  const model = scriptedModel([
    { toolCalls: [{ name: 'currentTime', input: { timeZone: 'Europe/Oslo' } }] },
    'It is time for a coffee.',
  ])
  const clock = new Agent({ name: 'Test', functions: [currentTime], model, sessions: ':memory:' })
  assert.equal(await clock.chat('What time is it in Oslo?'), 'It is time for a coffee.')
  await clock.close()
})
`

const oneTest = `${callsCurrentTime}
test('the agent has its name', () => {
  assert.equal(agent.id, 'clock')
})
`

const swarmTest = `${callsCurrentTime}
test('the team has its members', () => {
  assert.deepEqual(
    agent.members.map(({ id }) => id),
    ['clock', 'planner'],
  )
})
`

const filesTest = `const { agent } = await import('./agent.ts')

test('an agent answers', async () => {
  const model = scriptedModel(['Thirty days.'])
  const librarian = new Agent({ name: 'Test', functions: [], model, sessions: ':memory:', retrieve: false })
  assert.equal(await librarian.chat('How many days of holiday are there?'), 'Thirty days.')
  await librarian.close()
})

test('the agent has its name', () => {
  assert.equal(agent.id, 'librarian')
})
`
