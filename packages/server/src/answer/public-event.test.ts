import { Agent, type AgentEvent, AgentKitError, Swarm } from '@agentkit/core'
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

it.each([
  ['Clerk failed: secret', 'Clerk failed.'],
  ['Clerk: Scribe failed: secret: more\nof it', 'Clerk: Scribe failed.'],
  ['The session of "team/clerk" could not be stored: secret', 'The session of "team/clerk" could not be stored.'],
  ['The run has no tools of the MCP server "a": secret', 'The run has no tools of the MCP server "a".'],
  ['The run has no tool "a", whose `isEnabled` failed: secret', 'The run has no tool "a", whose `isEnabled` failed.'],
  ['The budget left no room for a longer answer.', 'The budget left no room for a longer answer.'],
])('a warning has no text of an error: %s', (warning, shown) => {
  const place = { seq: 1, runId: 'run_1', path: ['team'] }
  const ended = { ...place, type: 'run-end', finishReason: 'stop', text: 'Done.', usage: {} } as const
  expect(publicEvent({ ...ended, warnings: [warning] })).toEqual({ ...ended, warnings: [shown] })
})

it("a run that a hook ends with an error of the code `budget` has our sentence, and the budget's own stays", async () => {
  const beforeModel = (): never => {
    throw new AgentKitError('budget', 'secret path')
  }
  const model = scriptedModel(['Hi.'])
  for (const [options, warning] of [
    [{ hooks: { beforeModel } }, 'The run has used up its budget.'],
    [{ budget: { modelCalls: 0 } }, expect.stringContaining("The run's budget is used up: 0 of 0 model calls")],
  ] as const) {
    const agent = new Agent({ name: 'Clerk', functions: [], model, ...options })
    const shown: AgentEvent[] = []
    for await (const event of agent.stream('Hi')) shown.push(publicEvent(event))
    expect(shown.at(-1)).toMatchObject({ finishReason: 'budget', warnings: [warning] })
  }
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
  expect(body).toContain('"warnings":["Clerk failed."]')
  expect(body).not.toContain('secret key')
})
