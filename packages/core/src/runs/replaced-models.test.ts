import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { Agent } from '../agents/agent.ts'
import type { Model } from '../contracts/model.ts'
import { Swarm } from '../swarm/swarm.ts'
import { withReplacedModels } from './replaced-models.ts'

const broken: Model = {
  id: 'test/broken',
  load: () => Promise.reject(new Error('No key.')),
  stream() {
    throw new Error('It is called.')
  },
}

it('makes every call of a run and its members by other models, which need nothing of the agent’s own', async () => {
  const member = new Agent({ name: 'Member', functions: [], model: broken })
  const team = new Swarm({ name: 'Team', functions: [], model: broken, agents: [member], collaboration: 'sequence' })
  const acting = scriptedModel(['By the member.'], { id: 'test/acting' })
  const { text, error } = await withReplacedModels(
    () => acting,
    () => team.stream('Go').result,
  )
  expect({ text, error }).toEqual({ text: 'By the member.', error: undefined })
})

it('does so for this work alone', async () => {
  const one = new Agent({ name: 'One', functions: [], model: scriptedModel(['own']) })
  const [replaced, own] = await Promise.all([
    withReplacedModels(
      () => scriptedModel(['other']),
      () => one.stream('Go').result,
    ),
    one.stream('Go').result,
  ])
  expect([replaced.text, own.text]).toEqual(['other', 'own'])
})
