import { testDatabase } from '@agentkit/test-postgres'
import pg from 'pg'
import { expect, it, vi } from 'vitest'
import { postgresSessions } from '../postgres-sessions.ts'

const owner = { agentId: 'helper', userId: 'ann' }

it('searches many short sessions by few statements, and all of a long one', async () => {
  const store = postgresSessions(await testDatabase())
  const talk = async (sessionId: string, ...texts: string[]): Promise<void> => {
    const input = texts.map((content) => ({ v: 1 as const, role: 'user' as const, content }))
    await store.begin({ ...owner, sessionId }, { runId: sessionId, expectedVersion: 0, input })
    await store.end(sessionId, 'done')
  }
  await talk('long', 'First', 'The last oak', ...Array.from({ length: 150 }, (_, index) => `A birch ${index}`))
  for (let index = 0; index < 40; index++) await talk(`s${index}`, 'A beech', index === 7 ? 'An OAK' : 'An elm')
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  const idsOf = async (q: string, limit?: number): Promise<string[]> =>
    (await store.list(owner, { q, ...(limit !== undefined && { limit }) })).map(({ sessionId }) => sessionId)

  expect(await idsOf('oak')).toEqual(['s7', 'long'])
  // The place to begin at, a page of sessions, the newest messages of ten sessions at once, and the rest of the long one.
  expect(queries.mock.calls.length).toBeLessThanOrEqual(10)
  queries.mockRestore()
  expect(await idsOf('elm', 2)).toEqual(['s39', 's38'])
  expect(await idsOf('beech')).toHaveLength(40)
  expect(await idsOf('birch 149')).toEqual(['long'])
  expect(await idsOf('absent')).toEqual([])
  await store.close()
})
