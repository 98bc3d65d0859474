import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sqliteSessions } from '../sqlite/sqlite-sessions.ts'

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
const newRun = { runId: 'r1', agentId: 'helper', expectedVersion: 0, input: [], isResumable: true, keepsEvents: true }
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('calls who watches a run in any store of the file, and in no other file', async () => {
  const path = join(folder, 'sessions.db')
  const [writer, reader, other] = [sqliteSessions(path), sqliteSessions(path), sqliteSessions(':memory:')]
  let seen = 0
  const stop = reader.runs?.watch('r1', () => void seen++)
  other.runs?.watch('r1', () => expect.unreachable())
  await writer.runs?.create(key, newRun)
  expect(seen).toBe(1)
  // A write that is refused changes nothing.
  await expect(writer.runs?.release('r1', 2)).rejects.toMatchObject({ code: 'session-conflict' })
  expect(seen).toBe(1)
  await reader.runs?.cancel('r1', { status: 'failed', finishReason: 'aborted' })
  expect(seen).toBe(2)
  stop?.()
  await Promise.all([writer, reader, other].map((store) => store.close()))
})

it('calls who watches a run that is settled, replaced or begun by the other methods of the store', async () => {
  const path = join(folder, 'sessions.db')
  const first = sqliteSessions(path)
  await first.runs?.create(key, { ...newRun, isResumable: false })
  await first.close()
  const store = sqliteSessions(path)
  const seen: string[] = []
  for (const runId of ['r1', 'r2']) store.runs?.watch(runId, () => void seen.push(runId))
  await store.load(key)
  expect(seen).toEqual(['r1'])
  await store.begin(key, { runId: 'r2', expectedVersion: 2, input: [], replaces: 'r1' })
  expect(seen.toSorted()).toEqual(['r1', 'r1', 'r2'])
  await store.end('r2', 'done')
  expect(seen.filter((runId) => runId === 'r2')).toHaveLength(2)
  await store.close()
})
