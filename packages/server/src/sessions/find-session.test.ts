import { memorySessions, type SessionStore } from '@agentkit/core'
import { expect, it } from 'vitest'
import { findSession } from './find-session.ts'

const owner = { agentId: 'helper', userId: 'ann' }

/** A store with so many sessions of a user, the newest last, and the limits of the pages that are read of it. */
async function storeWith(count: number): Promise<{ store: SessionStore; limits: unknown[] }> {
  const sessions = memorySessions()
  for (let index = 0; index < count; index++) {
    const runId = `run${index}`
    await sessions.begin({ ...owner, sessionId: `s${index}` }, { runId, expectedVersion: 0, input: [] })
    await sessions.end(runId, 'done')
  }
  const limits: unknown[] = []
  const list: SessionStore['list'] = (by, options) => {
    limits.push(options?.limit)
    return sessions.list(by, options)
  }
  return { store: { ...sessions, list }, limits }
}

it('reads few sessions to find one that was just used', async () => {
  const { store, limits } = await storeWith(60)
  expect(await findSession(store, { ...owner, sessionId: 's59' })).toMatchObject({ sessionId: 's59', turns: 1 })
  expect(limits).toEqual([50])
})

it('finds an old session, and none that is unknown', async () => {
  const { store, limits } = await storeWith(1_100)
  expect(await findSession(store, { ...owner, sessionId: 's0' })).toMatchObject({ sessionId: 's0' })
  expect(await findSession(store, { ...owner, sessionId: 'unknown' })).toBeUndefined()
  expect(await findSession(store, { ...owner, userId: 'bob', sessionId: 's0' })).toBeUndefined()
  expect(limits).toEqual([50, 1_000, 1_000, 50, 1_000, 1_000, 50])
})
