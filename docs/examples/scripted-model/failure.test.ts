import { scriptedModel } from '@agentkit/testing'
import { Agent, AgentKitError } from 'agentkit'
import { expect, it } from 'vitest'

const busy = new AgentKitError('overloaded', 'The model is busy.')
const broke = new AgentKitError('quota', 'Nothing is left on the account.')

it('tries again after a failure that passes', async () => {
  const model = scriptedModel([busy, 'Here I am.'])
  const agent = new Agent({ name: 'Patient', model, retry: { firstWaitMs: 1 }, sessions: ':memory:' })
  expect(await agent.chat('Are you there?')).toBe('Here I am.')
  expect(model.requests).toHaveLength(2)
})

it('reports one that does not', async () => {
  const agent = new Agent({ name: 'Poor', model: scriptedModel([broke]), sessions: ':memory:' })
  await expect(agent.chat('Are you there?')).rejects.toMatchObject({ code: 'quota' })
})
