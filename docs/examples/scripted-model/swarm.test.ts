import { scriptedModel } from '@agentkit/testing'
import { Agent, Swarm } from 'agentkit'
import { expect, it } from 'vitest'

it('asks the member that the manager chooses', async () => {
  const member = scriptedModel(['42 bicycles were sold.'])
  const sales = new Agent({ name: 'Sales', description: 'Knows all sales.', model: member, sessions: ':memory:' })
  const manager = scriptedModel([
    { toolCalls: [{ name: 'sales', input: { task: 'How many bicycles were sold?' } }] },
    'We sold 42.',
  ])
  const team = new Swarm({ name: 'Team', agents: [sales], model: manager, sessions: ':memory:' })

  const members: string[] = []
  for await (const event of team.stream('How is business?')) {
    if (event.type === 'agent-start') members.push(event.name)
  }
  expect(members).toContain('Sales')
  expect(manager.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '42 bicycles were sold.' })
})
