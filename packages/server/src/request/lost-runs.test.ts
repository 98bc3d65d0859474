import { AgentKitError, type RunStore } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { expectProblem } from '../__fixtures__/requests.ts'
import { ask, type StoredAgent, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const storedAgent = storedAgents()

/** An agent and its app, and the same chat with a key, sent once more by each call. */
function served(): StoredAgent & { runs: RunStore; send: () => Promise<Response> } {
  const stored = storedAgent(['One.', 'Two.'])
  const app = createApp(stored.agent, { log: () => {} })
  const headers = { 'idempotency-key': 'a', accept: 'application/json' }
  const send = async (): Promise<Response> => app.request('/api/v1/chat', ask('Hi', {}, headers))
  const { runs } = stored.sessions
  if (!runs) throw new Error('The store has no runs.')
  return { ...stored, runs, send }
}

/** Another process has the run, and ends it as this one would. */
function loseRuns(runs: RunStore): void {
  const { end } = runs
  runs.end = async (...ending) => {
    await end.apply(runs, ending)
    throw new AgentKitError('session-conflict', 'Another process has the run.')
  }
}

describe('the answer to a chat with an Idempotency-Key', () => {
  it('is that of the other process where this one was frozen, and has lost its run', async () => {
    const { runs, send, model } = served()
    loseRuns(runs)
    const [answer, again] = [await send(), await send()]
    expect(await answer.json()).toMatchObject({ answer: 'One.' })
    expect(await again.json()).toMatchObject({ answer: 'One.' })
    expect(model.requests).toHaveLength(1)
  })

  it.each([1, 2, 3, 4, 5])('is that of the other process, at whichever read that has ended it: %i', async (endedAt) => {
    const { runs, send, model } = served()
    loseRuns(runs)
    const { read } = runs
    let reads = 0
    runs.read = async (runId) => {
      const stored = await read.call(runs, runId)
      return stored && ++reads < endedAt ? { ...stored, record: { ...stored.record, status: 'running' } } : stored
    }
    const first = await send()
    if (!first.ok) await expectProblem(first, 503, 'overloaded')
    reads = endedAt
    expect(await (await send()).json()).toMatchObject({ answer: 'One.' })
    expect(model.requests).toHaveLength(1)
  })

  it('is the failure of a store that cannot take the end of the run, not that another process continues it', async () => {
    const { runs, send } = served()
    runs.end = async () => {
      throw new AgentKitError('storage', 'The disk is full.')
    }
    await expectProblem(await send(), 503, 'storage')
  })
})
