import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type RunStore, type SessionStore, Swarm, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startChild } from '../__fixtures__/child.ts'
import { createVersion1 } from '../__fixtures__/version-1.ts'
import { sqliteSessions } from '../sqlite-sessions.ts'

const ann = { agentId: 'helper', userId: 'ann' }
const key = { ...ann, sessionId: 'done' }
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

it('keeps each message, title, status, usage and time of version 1', async () => {
  createVersion1(path)
  const before = new DatabaseSync(path)
  const bodies = before.prepare('SELECT run, position, body FROM messages ORDER BY run, position').all()
  before.close()
  const { store, runs } = open()

  const loaded = (await store.load(key))?.messages
  expect(loaded?.map(({ role }) => role)).toEqual([...['user', 'assistant', 'tool', 'assistant', 'user', 'assistant']])
  expect(loaded?.[0]).toEqual({ v: 1, role: 'user', content: 'Look, é!' })
  expect((await store.load({ ...ann, sessionId: 'failed' }))?.messages.at(-1)).toMatchObject({ role: 'assistant' })
  expect((await store.list(ann)).map(({ sessionId, title, turns }) => `${sessionId}: ${title}, ${turns}`)).toEqual([
    'running: Never answered, 1',
    'waiting: Pay in a session, 1',
    'failed: Fail, 1',
    'done: Look, é!, 2',
  ])
  const team = { agentId: 'team/clerk', userId: 'ann', sessionId: 'team' }
  expect((await store.load(team))?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  const [first] = await store.turns(key)
  expect(first).toMatchObject({ status: 'done', usage: { totalTokens: 30 }, createdAt: '2026-11-23T18:59:51.633Z' })
  expect((await runs.read(first?.runId ?? ''))?.record).toMatchObject({
    status: 'done',
    sessionId: 'done',
    attempts: 1,
  })

  const after = new DatabaseSync(path)
  expect(after.prepare('SELECT run, position, body FROM messages ORDER BY run, position').all()).toEqual(bodies)
  expect(after.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  after.close()
})

it('settles the run of a dead process as before', async () => {
  createVersion1(path)
  const { store, runs } = open()
  expect(await store.load({ ...ann, sessionId: 'running' })).toEqual({ version: 2, messages: [] })
  expect((await runs.read('run_of_a_dead_process'))?.record).toMatchObject({
    status: 'failed',
    error: { code: 'crashed' },
  })
})

it.each([
  ['in a session', 'waiting'],
  ['without a session', undefined],
])('continues a run that waited %s, once its approval is decided', async (_, sessionId) => {
  createVersion1(path)
  const { store, runs } = open()
  const waiting = await runs.list(ann, { status: 'waiting', limit: 10 })
  const record = waiting.find((run) => run.sessionId === sessionId)
  expect(record?.approvals).toMatchObject([{ callId: 'pay', name: 'pay', kind: 'approval', input: {} }])
  const approvalId = record?.approvals[0]?.approvalId ?? ''
  expect(approvalId).toMatch(/^apr_[0-9A-Za-z]{22}$/)

  const paid: string[] = []
  const agent = new Agent({
    name: 'Helper',
    functions: tools(paid),
    model: scriptedModel(['All paid.']),
    sessions: store,
  })
  await agent.decide(record?.runId ?? '', { [approvalId]: true }, { userId: 'ann' })
  const free = (await runs.orphans(['helper'])).filter(({ isLost }) => !isLost)
  expect(free).toMatchObject([{ runId: record?.runId, isResumable: true }])
  const result = await agent.continueRun(record?.runId ?? '').result
  expect(result).toMatchObject({ finishReason: 'stop', text: 'All paid.' })
  expect(paid).toEqual(['pay'])
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
})

it('resumes a swarm whose member waited', async () => {
  createVersion1(path)
  const { store, runs } = open()
  const [record] = await runs.list({ agentId: 'team', userId: 'ann' }, { status: 'waiting', limit: 10 })
  expect(record?.approvals).toMatchObject([{ name: 'pay', path: ['payer'] }])
  const paid: string[] = []
  const member = (name: string, script: string[]): Agent =>
    new Agent({ name, functions: tools(paid), model: scriptedModel(script), sessions: store })
  const team = new Swarm({
    name: 'Team',
    agents: [member('Payer', ['Paid it.']), member('Clerk', [])],
    model: scriptedModel(['Filed and paid.']),
    sessions: store,
  })
  const decisions = { [record?.approvals[0]?.approvalId ?? '']: true } as const
  expect(await team.resume(record?.runId ?? '', decisions).result).toMatchObject({ text: 'Filed and paid.' })
  expect(paid).toEqual(['pay'])
  expect((await runs.read(record?.runId ?? ''))?.record).toMatchObject({ status: 'done', text: 'Filed and paid.' })
})

it('copies the file first, for its owner only, and says so', async () => {
  createVersion1(path)
  const { store } = open()
  await store.load(key)
  expect(console.warn).toHaveBeenCalledExactlyOnceWith(
    'agentkit: the session database sessions.db is migrated to a newer version; sessions.db.version-1 is a copy of it ' +
      'as it was. Delete the copy when you no longer need it.',
  )
  expect(check(`${path}.version-1`)).toEqual({ version: 1, integrity: 'ok', messages: 23 })
  if (process.platform !== 'win32') expect((await stat(`${path}.version-1`)).mode & 0o777).toBe(0o600)
  await store.close()
  const again = open()
  await again.store.load(key)
  expect(console.warn).toHaveBeenCalledTimes(1)
})

it('copies nothing for a new file', async () => {
  const { store } = open()
  await store.load(key)
  expect(existsSync(`${path}.version-1`)).toBe(false)
  expect(console.warn).not.toHaveBeenCalled()
})

it.runIf(process.platform !== 'win32')('migrates without a copy where the disk has no room for one', async () => {
  createVersion1(path, { runs: 20, bytes: 100_000 })
  // A limit on file sizes simulates the full disk: the copy exceeds it, the log of the migration does not.
  const limited = ['sh', '-c', 'ulimit -f 1000; exec "$@" 2>/dev/null', 'sh']
  const child = startChild('open-store.ts', [path], limited)
  expect(await child.exited).toBe(0)
  expect(child.lines).toEqual(['opened'])
  expect(existsSync(`${path}.version-1`)).toBe(false)
  expect(existsSync(`${path}.version-1.partial`)).toBe(false)
  expect(check(path)).toMatchObject({ version: 9, integrity: 'ok', messages: 43 })
})

it('lets several processes migrate one file at the same time', async () => {
  createVersion1(path, { runs: 500, bytes: 100 })
  const children = Array.from({ length: 3 }, () => startChild('open-store.ts', [path]))
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0])
  expect(check(path)).toEqual({ version: 9, integrity: 'ok', messages: 523 })
  expect(check(`${path}.version-1`)).toEqual({ version: 1, integrity: 'ok', messages: 523 })
})

it('leaves the one version or the other, complete, wherever its process is killed', async () => {
  const original = join(folder, 'original.db')
  createVersion1(original, { runs: 2_000, bytes: 200 })
  await copyFile(original, path)
  const start = performance.now()
  await startChild('open-store.ts', [path]).exited
  let duration = performance.now() - start
  const versions: unknown[] = []
  for (let round = 0; round < 20; round++) {
    for (const suffix of ['', '-wal', '-shm', '.version-1', '.version-1.partial']) {
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
    if (left.version !== 1) duration *= 0.85
    expect(left).toEqual({ version: left.version, integrity: 'ok', messages: 2_023 })
    const store = sqliteSessions(path)
    expect((await store.load(key))?.messages).toHaveLength(6)
    await store.close()
    expect(check(path)).toEqual({ version: 9, integrity: 'ok', messages: 2_023 })
  }
  expect(versions).toContain(1)
}, 120_000)

function open(): { store: SessionStore; runs: RunStore } {
  const store = sqliteSessions(path)
  opened.push(store)
  if (!store.runs) throw new Error('The store has no runs.')
  return { store, runs: store.runs }
}

function tools(paid: string[]) {
  const input = { type: 'object' }
  return [
    tool({ name: 'look', description: 'Looks.', input, execute: () => 'found' }),
    tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => void paid.push('pay') }),
  ]
}

function check(file: string): { version: unknown; integrity: unknown; messages: unknown } {
  const database = new DatabaseSync(file)
  try {
    return {
      version: database.prepare('PRAGMA user_version').get()?.user_version,
      integrity: database.prepare('PRAGMA integrity_check').get()?.integrity_check,
      messages: database.prepare('SELECT count(*) AS count FROM messages').get()?.count,
    }
  } finally {
    database.close()
  }
}
