import { DatabaseSync } from 'node:sqlite'
import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { type Sessions, storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { queryAt } from './postgres/__fixtures__/query-at.ts'

const owner = { agentId: 'helper', userId: 'ann' }

describe.each(storeKinds)('a user in %s', (kind) => {
  const place = storePlace(kind)

  /** The tables that have rows of the user. */
  async function tablesWithAnn(): Promise<unknown[]> {
    const schema = kind === 'Postgres' ? 'agentkit.' : ''
    const text = ['sessions', 'runs', 'memory', 'jobs']
      .filter((table) => kind === 'SQLite' || table !== 'jobs')
      .map((table) => `SELECT '${table}' AS name FROM ${schema}${table} WHERE user_id = 'ann'`)
      .join(' UNION ')
    if (kind === 'Postgres') return queryAt(place.address(), text)
    const database = new DatabaseSync(place.address())
    const rows = database.prepare(text).all()
    database.close()
    return rows
  }

  /** A run in a session, and a background one without. */
  async function runs(sessions: Sessions): Promise<Agent> {
    const agent = new Agent({ name: 'Helper', functions: [], model: scriptedModel(['One.', 'Two.']), sessions })
    await agent.chat('First?', { userId: 'ann', sessionId: 's' })
    const { runId } = await agent.enqueue('Second?', { userId: 'ann' })
    const worker = await agent.work()
    expect((await agent.result(runId)).finishReason).toBe('stop')
    await worker.close()
    return agent
  }

  async function deleteRuns(agent: Agent, sessions: Sessions): Promise<void> {
    for (const { runId } of await agent.runs({ userId: 'ann' })) {
      const stored = await sessions.runs.read(runId)
      if (stored) await sessions.delete(stored.key)
    }
  }

  it.each(['before', 'after'])('leaves no row when all runs are deleted and the memory %s them', async (order) => {
    const sessions = place.open()
    const agent = await runs(sessions)
    if (order === 'before') {
      await sessions.memory?.clear(owner)
      // While there is a run, its turn must not be found.
      expect(await tablesWithAnn()).toContainEqual({ name: 'memory' })
      await sessions.delete({ ...owner, sessionId: 's' })
      expect(await tablesWithAnn()).toContainEqual({ name: 'memory' })
    }
    await deleteRuns(agent, sessions)
    if (order === 'after') await sessions.memory?.clear(owner)
    expect(await tablesWithAnn()).toEqual([])
  })

  it('leaves no row when the retention removes the last run after the memory was deleted', async () => {
    const sessions = place.open()
    await runs(sessions)
    await sessions.memory?.clear(owner)
    await expect
      .poll(async () => {
        await sessions.runs.prune({ sessionsMs: 1 })
        return tablesWithAnn()
      })
      .toEqual([])
  })
})
