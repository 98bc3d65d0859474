import { chmod, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunStore, SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startChild } from './__fixtures__/child.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

const owner = { agentId: 'helper', userId: 'ann' }
let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  path = join(folder, 'sessions.db')
})
afterEach(() => rm(folder, { recursive: true }))

it('keeps every acknowledged write of runs whose process is killed at any moment, and every run can be read', async () => {
  const acknowledged = new Map<string, string>()
  for (let round = 0; round < 10; round++) {
    const writer = startChild('write-runs.ts', [path, `round${round}`])
    await writer.nextLine()
    await sleep(Math.random() * 60)
    writer.process.kill('SIGKILL')
    await writer.exited
    for (const line of writer.lines) acknowledged.set(line.split(' ')[0] ?? '', line)
  }
  await expectAllReadable(acknowledged)
  expect(acknowledged.size).toBeGreaterThanOrEqual(10)
}, 60_000)

it.runIf(process.platform !== 'win32')('keeps every acknowledged write when the disk is full', async () => {
  const limited = ['sh', '-c', 'ulimit -f 600; exec "$@" 2>/dev/null', 'sh']
  const writer = startChild('write-runs.ts', [path, 'full'], limited)
  expect(await writer.exited).toBe(1)
  const acknowledged = new Map(writer.lines.map((line) => [line.split(' ')[0] ?? '', line]))
  expect(acknowledged.size).toBeGreaterThan(0)
  await expectAllReadable(acknowledged)
})

const mayBeRefused = process.platform !== 'win32' && process.getuid?.() !== 0
if (!mayBeRefused) console.log('The superuser may write whatever the mode is: the test of a read-only file is not run.')

it.runIf(mayBeRefused)('F19 says that a file is read-only', async () => {
  await createRun()
  await chmod(path, 0o400)
  await chmod(folder, 0o500)
  const { store, runs } = openStore()
  const cancelled = runs.cancel('r1', { status: 'failed', finishReason: 'aborted' })
  await expect(cancelled).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining('be written') })
  await store.close()
  await chmod(folder, 0o700)
})

it('reports a lock that is held for too long as `storage`, retryable, and stores nothing of the write', async () => {
  await createRun()
  const { store, runs } = openStore()
  const lock = startChild('hold-lock.ts', [path])
  expect(await lock.nextLine()).toBe('locked')
  for (const write of [
    runs.decide('r1', { apr_a: true }),
    runs.takeOver('r1', { expectedVersion: 2 }),
    runs.cancel('r1', { status: 'failed', finishReason: 'aborted' }),
    runs.prune({ eventsMs: 1, sessionsMs: 1 }),
    runs.answers.reserve({ scope: 's', key: 'k', fingerprint: 'f' }),
  ]) {
    await expect(write).rejects.toMatchObject({ code: 'storage', retryable: true })
  }
  // Readers do not wait.
  expect((await runs.read('r1'))?.record.status).toBe('waiting')
  lock.process.stdin.end()
  await lock.exited
  expect(await runs.decide('r1', { apr_a: true })).toBe('running')
  expect(await runs.answers.reserve({ scope: 's', key: 'k', fingerprint: 'f' })).toBeUndefined()
  await store.close()
})

it.each([
  ['progress', "UPDATE runs SET progress = '{'"],
  ['options', "UPDATE runs SET options = 'x'"],
  ['usage', "UPDATE runs SET usage = ''"],
  ['approvals', "UPDATE approvals SET body = '{'"],
  ['decisions', "UPDATE approvals SET decision = '{'"],
])('names the run whose %s cannot be read, and reads the others', async (what, sql) => {
  await createRun()
  runSQL(sql)
  const { store, runs } = openStore()
  await createRun('r2', store)
  const message = expect.stringMatching(new RegExp(`The ${what} of the run r1 cannot be read: .*Delete the session`))
  await expect(runs.read('r1')).rejects.toMatchObject({ code: 'storage', retryable: false, runId: 'r1', message })
  expect((await runs.read('r2'))?.record.status).toBe('waiting')
  // The fix that the error names.
  await store.delete({ ...owner, sessionId: 'of r1' })
  expect(await runs.list(owner, { limit: 9 })).toMatchObject([{ runId: 'r2' }])
  await store.close()
})

it('names the run whose messages or events cannot be read', async () => {
  await createRun()
  runSQL("UPDATE messages SET body = '{'; UPDATE events SET body = '{'; UPDATE runs SET status = 'done'")
  const { store, runs } = openStore()
  const key = { ...owner, sessionId: 'of r1' }
  for (const read of [store.load(key), store.turns(key), store.find('r1')]) {
    await expect(read).rejects.toMatchObject({ code: 'storage', runId: 'r1' })
  }
  await expect(runs.events('r1', 0, 9)).rejects.toMatchObject({ code: 'storage', runId: 'r1' })
  await store.close()
})

it('says that a file is damaged', async () => {
  const { store } = openStore()
  for (let index = 0; index < 30; index++) await createRun(`r${index}`, store)
  await store.close()
  const { size } = await stat(path)
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096)
  await file.close()
  const damaged = openStore()
  const listed = damaged.runs.list(owner, { limit: 50 })
  await expect(listed).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining('damaged') })
  await damaged.store.close()
})

/** A suspended run with everything that is stored of one. */
async function createRun(runId = 'r1', given?: SessionStore): Promise<void> {
  const store = given ?? sqliteSessions(path)
  const runs = store.runs as RunStore
  const input = [{ v: 1, role: 'user', content: 'Pay' }] as const
  const entry = { runId, agentId: 'helper', expectedVersion: 0, isResumable: true, keepsEvents: true, options: {} }
  await runs.create({ ...owner, sessionId: `of ${runId}` }, { ...entry, input, progress: {} })
  await runs.suspend(runId, {
    ...{ attempt: 1, usage: { totalTokens: 1 } },
    events: [{ type: 'text-delta', text: 'x', runId, path: [], seq: 1 }],
    approvals: [{ approvalId: 'apr_a', callId: 'a', name: 'pay', input: {}, kind: 'approval' }],
  })
  if (!given) await store.close()
}

function openStore(): { store: SessionStore; runs: RunStore } {
  const store = sqliteSessions(path, { lockTimeoutMs: 200 })
  if (!store.runs) throw new Error('The store has no runs.')
  return { store, runs: store.runs }
}

/** @param acknowledged the last line of each run */
async function expectAllReadable(acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const database = new DatabaseSync(path)
  expect(database.prepare('PRAGMA integrity_check').get()?.integrity_check).toBe('ok')
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  database.close()
  const { store, runs } = openStore()
  const lost = new Set((await runs.orphans(['helper'])).map(({ runId }) => runId))
  for (const [runId, line] of acknowledged) {
    const [, messages, events] = line.split(' ').map(Number)
    const stored = await runs.read(runId)
    const turn = await store.find(runId)
    const found = [turn?.messages.length ?? 0, (await runs.events(runId, 0, 9)).length, stored?.calls.length ?? 0]
    // A stored write that was not acknowledged may be there, but never a part of a write.
    expect(found[1]).toBe((found[0] ?? 0) - 1)
    expect(found[2]).toBe(found[1])
    expect(found[0]).toBeGreaterThanOrEqual(messages ?? 0)
    expect(found[1]).toBeGreaterThanOrEqual(events ?? 0)
    if (stored?.record.status === 'running') expect([...lost]).toContain(runId)
  }
  await store.close()
}

function runSQL(text: string): void {
  const database = new DatabaseSync(path)
  database.exec(text)
  database.close()
}
