import { Agent, type AgentEvent, Swarm } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { ask } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'
import { publicEvent } from './public-event.ts'

const end = (status: string, reason?: string): AgentEvent => ({
  ...{ seq: 1, runId: 'run_1', path: ['team', 'clerk'], type: 'agent-end', name: 'Clerk', status },
  ...(reason !== undefined && { reason }),
})

it.each([
  ['failed', 'The member failed.'],
  ['budget', 'The run has used up its budget.'],
  ['aborted', 'The run was aborted.'],
  ['a status of a newer version', 'The member failed.'],
])('a member that ended (%s) has our sentence', (status, sentence) => {
  expect(publicEvent(end(status, 'secret path'))).toEqual(end(status, sentence))
  expect(publicEvent(end(status))).toEqual(end(status))
})

it('no stream shows why a member failed in the words of its model', async () => {
  const clerk = new Agent({
    ...{
      name: 'Clerk',
      description: 'Counts.',
      functions: [],
      model: scriptedModel([new Error('secret key of the model')]),
    },
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'Count.' } }] }, 'It failed.'])
  const app = createApp(new Swarm({ name: 'Team', agents: [clerk], model }), { log: () => {} })
  const body = await (await app.request('/api/v1/chat_stream', ask('Count'))).text()
  expect(body).toContain('event: agent-end')
  expect(body).not.toContain('secret key')
})
