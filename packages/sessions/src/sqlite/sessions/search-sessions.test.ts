import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sqliteSessions } from '../sqlite-sessions.ts'

const owner = { agentId: 'helper', userId: 'ann' }
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-search-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('lets the process do other work between the parts of a long search', async () => {
  const store = sqliteSessions(join(folder, 'sessions.db'))
  const ids = Array.from({ length: 20 }, (_, index) => `s${index}`)
  for (const sessionId of ids) {
    const input = [{ v: 1, role: 'user', content: 'Hello' } as const]
    await store.begin({ ...owner, sessionId }, { runId: `r-${sessionId}`, expectedVersion: 0, input })
  }
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
