import { testDatabase } from '@agentkit/test-postgres'
import { expect, it, vi } from 'vitest'
import { queryAt } from '../__fixtures__/query-at.ts'
import { unusedQueue } from '../__fixtures__/unused-queue.ts'
import { postgresSessions } from '../postgres-sessions.ts'

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
const conflict = { code: 'session-conflict' }

it('keeps a retried run, though the store could not end its earlier attempt', async () => {
  const url = await testDatabase()
  const [store, other] = [1, 2].map(() => postgresSessions(url, { queue: unusedQueue, heartbeatMs: 500 }))
  const [runs, others] = [store?.runs, other?.runs]
  const input = [{ v: 1, role: 'user', content: 'Hello' } as const]
  const run = { runId: 'run_1', agentId: 'helper', isResumable: true, keepsEvents: true }
  await runs?.create(key, { ...run, expectedVersion: 0, input })
  await others?.cancel('run_1', { status: 'failed', finishReason: 'aborted' })
  const ending = { attempt: 1, status: 'done', finishReason: 'stop' } as const
  await expect(runs?.end('run_1', ending)).rejects.toMatchObject(conflict)
  await others?.background?.retry('run_1')
  const expectedVersion = (await store?.load(key))?.version ?? 0
  expect(await runs?.takeOver('run_1', { expectedVersion })).toMatchObject({ attempt: 2 })

  const beats = async (): Promise<string> => {
    const rows = await queryAt(url, 'SELECT max(heartbeat)::text AS last FROM agentkit.holders')
    return (rows as { last: string }[])[0]?.last ?? ''
  }
  for (let beat = 0; beat < 2; beat++) {
    const last = await beats()
    await vi.waitFor(async () => expect(await beats()).not.toBe(last), { timeout: 10_000 })
  }
  expect(await others?.background?.unfinished(['helper'], { limit: 10 })).toEqual([])
  await expect(others?.takeOver('run_1', { expectedVersion })).rejects.toMatchObject(conflict)
  await Promise.all([store?.close(), other?.close()])
})
