import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sqliteSessions } from '../sqlite-sessions.ts'

const owner = { agentId: 'helper', userId: 'ann' }
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-search-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('lets the process do other work between the parts of a long search', async () => {
  const store = await storeOf(20)
  let turns = 0
  const count = (): void => {
    turns++
    others = setImmediate(count)
  }
  let others = setImmediate(count)
  // Each session takes longer than a part may.
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20))
  const found = await store.list(owner, { q: 'absent' })
  clearImmediate(others)
  clock.mockRestore()
  expect(found).toEqual([])
  expect(turns).toBeGreaterThan(10)
  await store.close()
})

it('reads a page of sessions once, also where each session takes a part of its own', async () => {
  const store = await storeOf(20)
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20))
  const reads = vi.spyOn(StatementSync.prototype, 'all')
  expect(await store.list(owner, { q: 'absent' })).toEqual([])
  const count = reads.mock.calls.length
  expect((await store.list(owner, { q: 'hello', limit: 3 })).map(({ sessionId }) => sessionId)).toHaveLength(3)
  reads.mockRestore()
  clock.mockRestore()
  expect(count).toBe(1)
  await store.close()
})

/** A store with this number of sessions. */
async function storeOf(count: number): Promise<ReturnType<typeof sqliteSessions>> {
  const store = sqliteSessions(join(folder, 'sessions.db'))
  for (const sessionId of Array.from({ length: count }, (_, index) => `s${index}`)) {
    const input = [{ v: 1, role: 'user', content: 'Hello' } as const]
    await store.begin({ ...owner, sessionId }, { runId: `r-${sessionId}`, expectedVersion: 0, input })
  }
  return store
}
