import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { memoryDisk } from '../../__fixtures__/memory-runs.ts'
import { Agent } from '../../agents/agent.ts'
import { storedClientData } from '../../sessions/recorded-data.ts'
import { tool } from '../../tools/define-tool.ts'
import { withRequest } from './current-request.ts'

it('stores what a client sent with its run, and with no run that this one begins', async () => {
  const sessions = memoryDisk().open().store
  const helper = new Agent({ name: 'Helper', model: scriptedModel(['Helped.']), sessions })
  const ids: string[] = []
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    async execute() {
      const run = helper.stream('Help', { sessionId: 'h' })
      ids.push(run.runId)
      return (await run.result).text
    },
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, 'Done.'])
  const agent = new Agent({ name: 'Asker', functions: [ask], model, sessions })
  const run = withRequest({ client: { metadata: { a: 'b' } } }, () => agent.stream('Go', { sessionId: 's' }))
  expect((await run.result).text).toBe('Done.')
  const stored = await Promise.all([run.runId, ...ids].map((runId) => sessions.runs?.read(runId)))
  expect(stored.map((each) => each && storedClientData(each))).toEqual([{ metadata: { a: 'b' } }, undefined])
})
