import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type RunStore, type SessionStore, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startChild } from '../__fixtures__/child.ts'
import { createVersion2 } from '../__fixtures__/version-2.ts'
import { sqliteSessions } from '../sqlite-sessions.ts'
import { migrate, migrations } from './migrations.ts'

const ann = { agentId: 'helper', userId: 'ann' }
const tables = ['sessions', 'runs', 'messages', 'calls', 'approvals', 'events', 'answers']
let folder: string
let path: string
let opened: SessionStore[]
beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  path = join(folder, 'sessions.db')
  opened = []
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(opened.map((store) => store.close()))
  await rm(folder, { recursive: true })
})

it('keeps every row of version 2 as it was, beside columns and tables that are new', () => {
  createVersion2(path, { runs: 20, bytes: 5_000 })
  const before = contents()
  const database = new DatabaseSync(path)
  migrate(database, 'sessions.db')
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  expect(database.prepare('PRAGMA integrity_check').get()?.integrity_check).toBe('ok')
  database.close()
  const after = contents()
  for (const table of tables) {
    expect(after[table]?.map((row, index) => pick(row, before[table]?.[index]))).toEqual(before[table])
  }
  const background = { is_background: 0, awaits_members: 0, notifies: 0, root: null, ready_at: null }
  for (const run of after.runs ?? []) expect(run).toMatchObject({ ...background, idempotency_fingerprint: null })
})

it('copies the file first, and says so', async () => {
  createVersion2(path)
  await open().store.load({ ...ann, sessionId: 'done' })
  expect(console.warn).toHaveBeenCalledExactlyOnceWith(
    'agentkit: the session database sessions.db is migrated to a newer version; sessions.db.version-2 is a copy of it ' +
      'as it was. Delete the copy when you no longer need it.',
  )
  expect(check(`${path}.version-2`)).toEqual({ version: 2, integrity: 'ok', runs: 4 })
})

it('continues runs of version 2: one that waits, and one that was lost', async () => {
  createVersion2(path)
  const { store, runs } = open()
  expect(await runs.orphans(['helper'])).toMatchObject([{ runId: 'run_lost', isLost: true, isResumable: true }])
  expect((await runs.events('run_lost', 0, 10)).map(({ seq }) => seq)).toEqual([1])
  expect(await runs.background?.unfinished(undefined, { limit: 10 })).toEqual([])
  expect(await runs.background?.counts()).toEqual([])
  const [waiting] = await runs.list(ann, { status: 'waiting', limit: 10 })
  const paid: string[] = []
  const input = { type: 'object' }
  const agent = new Agent({
    name: 'Helper',
    functions: [
      tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => void paid.push('pay') }),
    ],
    model: scriptedModel(['All paid.']),
    sessions: store,
  })
  const decisions = { [waiting?.approvals[0]?.approvalId ?? '']: true } as const
  await agent.decide(waiting?.runId ?? '', decisions, { userId: 'ann' })
  expect(await agent.continueRun(waiting?.runId ?? '').result).toMatchObject({ text: 'All paid.' })
  expect(paid).toEqual(['pay'])
  expect((await store.turns({ ...ann, sessionId: 'done' })).map(({ status }) => status)).toEqual(['done', 'done'])
})

it('is refused by the version before it, in a sentence', async () => {
  await open().store.load({ ...ann, sessionId: 'done' })
  const database = new DatabaseSync(path)
  expect(() => migrate(database, 'sessions.db', { steps: migrations.slice(0, 2) })).toThrow(
    'The session database sessions.db was made by a newer version of @agentkit/sessions (its schema is 9, this one ' +
      'knows 2). Update the package, or use another file.',
  )
  database.close()
  expect(check(path)).toMatchObject({ version: 9, integrity: 'ok' })
})

it('lets several processes migrate one file at the same time', async () => {
  createVersion2(path, { runs: 500, bytes: 100 })
  const children = Array.from({ length: 3 }, () => startChild('open-store.ts', [path]))
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0])
  expect(check(path)).toEqual({ version: 9, integrity: 'ok', runs: 504 })
  expect(check(`${path}.version-2`)).toEqual({ version: 2, integrity: 'ok', runs: 504 })
})

it('leaves the one version or the other, complete, wherever its process is killed', async () => {
  const original = join(folder, 'original.db')
  createVersion2(original, { runs: 2_000, bytes: 5_000 })
  await copyFile(original, path)
  const start = performance.now()
  await startChild('open-store.ts', [path]).exited
  let duration = performance.now() - start
  const versions: unknown[] = []
  for (let round = 0; round < 15; round++) {
    for (const suffix of ['', '-wal', '-shm', '.version-2', '.version-2.partial']) {
      await rm(`${path}${suffix}`, { force: true })
    }
    await copyFile(original, path)
    const child = startChild('open-store.ts', [path])
    // The first half is the start of the process.
    await sleep(duration * (0.4 + Math.random() * 0.6))
    child.process.kill('SIGKILL')
    await child.exited
    const left = check(path)
    versions.push(left.version)
    // The next is killed earlier: on a busy machine the first start took longer than these.
    if (left.version !== 2) duration *= 0.85
    expect(left).toEqual({ version: left.version, integrity: 'ok', runs: 2_004 })
    const store = sqliteSessions(path)
    expect(await store.turns({ ...ann, sessionId: 'done' })).toHaveLength(2)
    await store.close()
    expect(check(path)).toEqual({ version: 9, integrity: 'ok', runs: 2_004 })
  }
  expect(versions).toContain(2)
}, 120_000)

function open(): { store: SessionStore; runs: RunStore } {
  const store = sqliteSessions(path)
  opened.push(store)
  if (!store.runs) throw new Error('The store has no runs.')
  return { store, runs: store.runs }
}

function contents(): Record<string, Record<string, unknown>[]> {
  const database = new DatabaseSync(path)
  const rows = tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()] as const)
  database.close()
  return Object.fromEntries(rows)
}

/** The columns that the row had before. */
function pick(row: Record<string, unknown>, before: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.keys(before).map((name) => [name, row[name]]))
}

function check(file: string): { version: unknown; integrity: unknown; runs: unknown } {
  const database = new DatabaseSync(file)
  try {
    return {
      version: database.prepare('PRAGMA user_version').get()?.user_version,
      integrity: database.prepare('PRAGMA integrity_check').get()?.integrity_check,
      runs: database.prepare('SELECT count(*) AS count FROM runs').get()?.count,
    }
  } finally {
    database.close()
  }
}
