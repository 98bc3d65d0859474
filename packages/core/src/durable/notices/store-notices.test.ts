import { expect, it } from 'vitest'
import { clerk } from '../../__fixtures__/clerk.ts'
import { Agent, type RunRecord } from '../../index.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { workOn } from '../worker/work.ts'

/** Twenty agents of one store, of which each has one run that has ended. */
async function twentyAgents({ onRunEnd }: { onRunEnd: (run: RunRecord) => void | Promise<void> }) {
  const { agent: first, store } = clerk(['Done.'], { name: 'Agent 0', onRunEnd }).open()
  const { models } = first
  const agents = Array.from({ length: 20 }, (_, index) => {
    return new Agent({ name: `Agent ${index}`, functions: [], model: models, sessions: store, onRunEnd })
  })
  const { background } = store.runs as BackgroundStore
  const asked: (readonly string[])[] = []
  const { takeNotices } = background
  const failing = { isAway: false }
  background.takeNotices = (agentIds, page) => {
    asked.push(agentIds)
    return failing.isAway ? Promise.reject(new Error('The database is away.')) : takeNotices(agentIds, page)
  }
  for (const agent of agents) {
    const { runId } = await agent.enqueue('Hi.', { startAfter: new Date(Date.now() + 3_600_000) })
    // By a process without a hook: the worker delivers the notice.
    await new Agent({ name: agent.name, functions: [], model: models, sessions: store }).cancel(runId)
  }
  return { agents, asked, failing }
}

it('looks for the notices of all agents of a store at once', async () => {
  const seen = new Set<string>()
  const { agents, asked } = await twentyAgents({ onRunEnd: ({ agentId }) => void seen.add(agentId) })
  const worker = await workOn(agents)
  await worker.close()
  expect(seen.size).toBe(20)
  expect(asked.length).toBeLessThanOrEqual(20 + 3)
  expect(asked[0]).toHaveLength(20)
})

it('reports once that the store is away', async () => {
  const { agents, asked, failing } = await twentyAgents({ onRunEnd() {} })
  failing.isAway = true
  const errors: unknown[] = []
  const worker = await workOn(agents, { onError: (error) => errors.push(error) })
  await worker.close()
  expect(asked).toHaveLength(2)
  expect(errors).toMatchObject([{ message: 'The database is away.' }, { message: 'The database is away.' }])
})

it('does not take notices of an agent whose receiver hangs, and delivers those of the others, also while it closes', async () => {
  const held = Promise.withResolvers<void>()
  const hanging = Promise.withResolvers<void>()
  const seen = new Set<string>()
  const { agents, asked } = await twentyAgents({
    onRunEnd({ agentId }) {
      if (agentId !== 'agent-7') return void seen.add(agentId)
      hanging.resolve()
      return held.promise
    },
  })
  const worker = await workOn(agents)
  await hanging.promise
  const closing = worker.close()
  // The last of them is seen before its notice is done, and the next ones are looked for.
  const state = (): unknown => [seen.size, asked.at(-1)?.includes('agent-7')]
  await expect.poll(state, { timeout: 20_000 }).toEqual([19, false])
  held.resolve()
  await closing
  expect(asked.at(-1)).toContain('agent-7')
})
