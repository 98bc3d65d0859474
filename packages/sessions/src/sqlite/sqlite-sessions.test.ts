import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startChild } from './__fixtures__/child.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
const hello = { v: 1, role: 'user', content: 'Hello' } as const
let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  path = join(folder, 'sessions.db')
})
afterEach(() => rm(folder, { recursive: true }))

it('refuses an unknown option', () => {
  expect(() => sqliteSessions(path, { durable: true } as object)).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('durability') }),
  )
})

it.each([{ durability: 'Full' }, { lockTimeoutMs: Number.NaN }, { heartbeatMs: 0 }, { staleAfterMs: '10s' }])(
  'refuses the value of %j',
  (options) => {
    const [name = ''] = Object.keys(options)
    expect(() => sqliteSessions(path, options as object)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(`\`${name}\` is `) }),
    )
  },
)

it('accesses the disk at its first call only', async () => {
  const store = sqliteSessions(path)
  expect(existsSync(path)).toBe(false)
  await store.load(key)
  expect(existsSync(path)).toBe(true)
  await store.close()
})

it.runIf(process.platform !== 'win32')('makes its folder and its files for their owner only', async () => {
  const inside = join(folder, 'agentkit-data', 'deep')
  const store = sqliteSessions(join(inside, 'sessions.db'))
  await begin(store, 'r1', 0)
  const files = await readdir(inside)
  expect(files.sort()).toEqual(['sessions.db', 'sessions.db-shm', 'sessions.db-wal'])
  const modes = await Promise.all([inside, ...files.map((file) => join(inside, file))].map(modeOf))
  expect(modes).toEqual(['700', '600', '600', '600'])
  await store.close()
})

it.each(['', undefined as unknown as string])('refuses the path %j', (bad) => {
  expect(() => sqliteSessions(bad)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
})

it('refuses every call once it is closed, even if it was never opened', async () => {
  for (const store of [sqliteSessions(path), sqliteSessions(path)]) {
    await store.close()
    const calls = [
      store.load(key),
      begin(store, 'r1', 0),
      store.append('r1', [hello]),
      store.end('r1', 'done'),
      store.find('r1'),
      store.turns(key),
      store.list(key),
      store.delete(key),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'storage', retryable: false })
  }
  const store = sqliteSessions(path)
  await store.load(key)
  await store.close()
  await expect(store.load(key)).rejects.toMatchObject({ code: 'storage' })
})

it('finishes calls made before it was closed', async () => {
  const store = sqliteSessions(path)
  await store.load(key)
  const begun = begin(store, 'r1', 0)
  await Promise.all([begun, store.close()])
  // The last connection removes the log.
  expect(existsSync(`${path}-wal`)).toBe(false)
  const again = sqliteSessions(path)
  expect(await again.find('r1')).toMatchObject({ messages: [hello] })
  expect(heartbeats()).toEqual([])
  await again.close()
})

it.each<[string, () => Promise<unknown>, RegExp]>([
  [
    'that is no database',
    () => writeFile(path, 'not a database '.repeat(100)),
    /^sessions\.db is not a session database\. Move it away/,
  ],
  ['that is damaged', damage, /^The session database sessions\.db is damaged\. Move it away/],
  [
    'of something else',
    () => runSQL('CREATE TABLE sessions (mine)'),
    /sessions\.db holds something else than sessions/,
  ],
  [
    'of a newer version',
    () => runSQL('PRAGMA user_version = 99'),
    /newer version of @agentkit\/sessions \(its schema is 99/,
  ],
  ['that is a folder', () => mkdir(path), /^The session database sessions\.db cannot be opened/],
])('says what to do with a file %s, and leaves it alone', async (_, make, message) => {
  await make()
  const store = sqliteSessions(path)
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(readAll(store)).rejects.toMatchObject({
      code: 'storage',
      retryable: false,
      message: expect.stringMatching(message),
    })
  }
  await store.close()
})

it.runIf(process.platform === 'linux')('says where no folder can be made for its file', async () => {
  const store = sqliteSessions('/proc/nosuch/sessions.db')
  await expect(store.load(key)).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringMatching(/^The session database sessions\.db/),
  })
  await store.close()
})

it('does not change a file that it refuses, and closes it', async () => {
  const ours = sqliteSessions(path)
  await ours.load(key)
  await ours.close()
  await runSQL('PRAGMA user_version = 99')
  const other = join(folder, 'other.db')
  await runSQL('CREATE TABLE recipes (id)', other)
  for (const file of [path, other]) {
    const before = await readFile(file)
    const store = sqliteSessions(file)
    await expect(store.load(key)).rejects.toMatchObject({ code: 'storage' })
    expect(await readFile(file)).toEqual(before)
  }
  expect((await readdir(folder)).sort()).toEqual(['other.db', 'sessions.db'])
})

it('has a fix in its message when a part of the path is a file', async () => {
  await writeFile(path, '')
  const store = sqliteSessions(join(path, 'deep', 'sessions.db'))
  await expect(store.load(key)).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('a part of its path is a file'),
  })
})

it('opens a file once its problem is fixed', async () => {
  await writeFile(path, 'not a database '.repeat(100))
  const store = sqliteSessions(path)
  await expect(store.load(key)).rejects.toMatchObject({ code: 'storage' })
  await rm(path)
  expect(await store.load(key)).toBeUndefined()
  await store.close()
})

// Windows does not delete a file that is open.
it.runIf(process.platform !== 'win32').each<[string, () => Promise<void>]>([
  ['deleted', () => rm(path)],
  ['deleted with its folder', () => rm(folder, { recursive: true })],
  ['moved away', () => rename(path, join(folder, 'backup.db'))],
])('stores what it acknowledges where it is found again, when the file was %s meanwhile', async (_how, lose) => {
  const store = sqliteSessions(path)
  await begin(store, 'r1', 0)
  await store.end('r1', 'done')
  await lose()
  await expect(begin(store, 'r2', 2)).rejects.toMatchObject({ code: 'session-conflict' })
  await begin(store, 'r2', 0)
  await store.end('r2', 'done')
  const later = sqliteSessions(path)
  expect((await later.load(key))?.messages).toEqual([hello])
  await Promise.all([store.close(), later.close()])
})

it('waits for a lock without blocking the process, and continues when it is free', async () => {
  const store = sqliteSessions(path)
  await store.load(key)
  const lock = await holdLock()
  const begun = Promise.all(Array.from({ length: 30 }, (_, index) => begin(store, `r${index}`, 0, `s${index}`)))
  // Each attempt blocks for 20 ms; 30 attempts one after another would block for 600.
  expect(await usualTurn()).toBeLessThan(200)
  // Readers do not wait.
  expect(await store.load(key)).toBeUndefined()
  await lock.release()
  await begun
  await store.close()
})

it('fails with a retryable `storage` error when it does not get a lock in time', async () => {
  const store = sqliteSessions(path, { lockTimeoutMs: 300 })
  await begin(store, 'r1', 0)
  const lock = await holdLock()
  const attempts = [store.append('r1', [hello]), begin(store, 'r2', 0, 's2'), store.end('r1', 'done')]
  for (const outcome of await Promise.allSettled(attempts)) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code: 'storage', retryable: true, message: expect.stringContaining('held by another process') },
    })
  }
  await lock.release()
  // The run that could not be ended has no owner, so that it does not block its session.
  expect(await store.load(key)).toEqual({ version: 2, messages: [] })
  await begin(store, 'r3', 2)
  await store.close()
})

it('fails when it cannot open a file because of a lock', async () => {
  await runSQL('PRAGMA journal_mode = DELETE')
  const lock = await holdLock()
  const store = sqliteSessions(path, { lockTimeoutMs: 200 })
  await expect(store.load(key)).rejects.toMatchObject({ code: 'storage', retryable: true })
  await lock.release()
  expect(await store.load(key)).toBeUndefined()
  await store.close()
})

it('does not settle a run of another open store of this process', async () => {
  const first = sqliteSessions(path)
  const second = sqliteSessions(path, { staleAfterMs: 1 })
  await begin(first, 'r1', 0)
  await sleep(10)
  expect(await second.load(key)).toMatchObject({ version: 1 })
  await expect(begin(second, 'r2', 1)).rejects.toMatchObject({ code: 'session-conflict' })
  await first.close()
  expect(await second.load(key)).toMatchObject({ version: 2 })
  await second.close()
})

it('lets one of two stores of a file resume a suspended run', async () => {
  const stores = [sqliteSessions(path), sqliteSessions(path)] as const
  await begin(stores[0], 'r1', 0)
  await stores[0].end('r1', 'waiting')
  const attempts = stores.map((store) => store.begin(key, { runId: 'r1', expectedVersion: 2, input: [] }))
  const outcomes = await Promise.allSettled(attempts)
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await Promise.all(stores.map((store) => store.close()))
})

it('assigns a resumed run to the store that resumes it', async () => {
  const first = sqliteSessions(path)
  const second = sqliteSessions(path)
  const third = sqliteSessions(path)
  await begin(first, 'r1', 0)
  await first.end('r1', 'waiting')
  await second.begin(key, { runId: 'r1', expectedVersion: 2, input: [] })
  await first.close()
  expect(await third.load(key)).toEqual({ version: 3, messages: [] })
  await second.append('r1', [hello])
  await second.close()
  expect(await third.load(key)).toEqual({ version: 4, messages: [] })
  expect(await third.find('r1')).toMatchObject({ status: 'failed', messages: [hello, hello] })
  await third.close()
})

type Row = { host: string; pid: number; thread: number; heartbeat: number }
const here = { host: hostname(), pid: process.pid, thread: 0, heartbeat: Date.now() + 60_000 }
const parent = { ...here, pid: process.ppid }

it.each<[string, Row | undefined, boolean]>([
  ['another process of this host that beats', parent, true],
  ['another process of this host that is silent', { ...parent, heartbeat: 0 }, false],
  ['a process of this host that is gone', { ...here, pid: 2 ** 22 + 1 }, false],
  ['an earlier process that had our pid', here, false],
  ['another thread that beats', { ...here, thread: 7 }, true],
  ['another thread that is silent', { ...here, thread: 7, heartbeat: 0 }, false],
  ['another host that beats', { ...here, host: 'elsewhere' }, true],
  ['another host that is silent', { ...here, host: 'elsewhere', heartbeat: 0 }, false],
  ['a store that was closed', undefined, false],
])('judges a run of %s', async (_, row, alive) => {
  const store = sqliteSessions(path)
  await store.load(key)
  insertRun(row)
  expect((await store.load(key))?.version).toBe(alive ? 1 : 2)
  expect((await store.find('theirs'))?.status).toBe(alive ? 'running' : 'failed')
  await store.close()
})

it.each([1, -1])(
  'F26 keeps the runs of others when the clock jumps by %i hour, and judges them later',
  async (hours) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const store = sqliteSessions(path, { staleAfterMs: 300 })
    await store.load(key)
    insertRun({ ...parent, heartbeat: Date.now() })
    vi.setSystemTime(Date.now() + hours * 3_600_000)
    expect((await store.load(key))?.version).toBe(1)
    expect((await store.find('theirs'))?.status).toBe('running')
    await sleep(400)
    // The process of the run has sent no heartbeat since.
    vi.setSystemTime(Date.now() + 7_200_000 - Math.min(0, hours) * 3_600_000)
    await store.load(key)
    await sleep(400)
    expect((await store.load(key))?.version).toBe(2)
    await store.close()
    vi.useRealTimers()
  },
)

it('settles a dead run in `begin` as `load` does', async () => {
  const store = sqliteSessions(path)
  await store.load(key)
  insertRun(undefined)
  await expect(begin(store, 'r1', 1)).rejects.toMatchObject({ code: 'session-conflict' })
  await begin(store, 'r1', 2)
  await store.close()
})

it('sends heartbeats during runs, and removes its row at the end', async () => {
  const store = sqliteSessions(path, { heartbeatMs: 20 })
  await begin(store, 'r1', 0)
  const first = heartbeats()[0] as number
  while ((heartbeats()[0] as number) <= first) await sleep(5)
  await store.end('r1', 'done')
  await sleep(50)
  const last = heartbeats()[0]
  await sleep(100)
  expect(heartbeats()).toEqual([last])
  await store.close()
  expect(heartbeats()).toEqual([])
})

it('does not keep the process alive', async () => {
  const child = startChild('leave-run.ts', [path])
  expect(await child.exited).toBe(0)
  const store = sqliteSessions(path)
  expect(await store.load(key)).toEqual({ version: 2, messages: [] })
  await store.close()
})

function begin(store: SessionStore, runId: string, expectedVersion: number, sessionId = 's1'): Promise<void> {
  return store.begin({ ...key, sessionId }, { runId, expectedVersion, input: [hello] })
}

async function readAll(store: SessionStore): Promise<void> {
  await store.turns({ ...key, sessionId: 's0' })
  await store.list(key)
}

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o777).toString(8)
}

async function runSQL(text: string, file = path): Promise<void> {
  const database = new DatabaseSync(file)
  database.exec(text)
  database.close()
}

/** A database file whose pages, except for the first, are overwritten. */
async function damage(): Promise<void> {
  const store = sqliteSessions(path)
  for (let index = 0; index < 50; index++) await begin(store, `r${index}`, 0, `s${index}`)
  await store.close()
  const { size } = await stat(path)
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096)
  await file.close()
}

/** A run of a holder, as another process would leave it. */
function insertRun(row: Row | undefined): void {
  const database = new DatabaseSync(path)
  database.exec(`
    INSERT INTO sessions (agent_id, user_id, session_id, version, created_at, updated_at)
      VALUES ('helper', 'ann', 's1', 1, 0, 0);
    INSERT INTO runs (run_id, session, agent_id, user_id, status, holder, created_at)
      VALUES ('theirs', 1, 'helper', 'ann', 'running', 'them', 0);
  `)
  if (row) {
    const insert = database.prepare('INSERT INTO holders (id, host, pid, thread, heartbeat) VALUES (?, ?, ?, ?, ?)')
    insert.run('them', row.host, row.pid, row.thread, row.heartbeat)
  }
  database.close()
}

function heartbeats(): number[] {
  const database = new DatabaseSync(path)
  const rows = database.prepare('SELECT heartbeat FROM holders').all()
  database.close()
  return rows.map((row) => Number(row.heartbeat))
}

async function holdLock(): Promise<{ release(): Promise<void> }> {
  const child = startChild('hold-lock.ts', [path])
  expect(await child.nextLine()).toBe('locked')
  return {
    async release() {
      child.process.stdin.end()
      await child.exited
    },
  }
}

/** The median duration of a turn of the event loop, in milliseconds. */
async function usualTurn(): Promise<number> {
  const turns: number[] = []
  for (let index = 0; index < 15; index++) {
    const start = performance.now()
    await sleep(1)
    turns.push(performance.now() - start)
  }
  return turns.sort((a, b) => a - b)[7] as number
}
