import type { Message } from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Child, startChild } from '../sqlite/__fixtures__/child.ts'
import { queryAt } from './__fixtures__/query-at.ts'
import { openDatabase } from './database/database.ts'
import { migrate } from './migrations/migrate.ts'
import { tables } from './migrations/tables.ts'
import { postgresSessions } from './postgres-sessions.ts'

// Stores of several processes, which are killed and frozen.

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
const newRun = { runId: 'r1', agentId: 'helper', expectedVersion: 0, input: [], isResumable: true, keepsEvents: true }
const soon = { heartbeatMs: 100, staleAfterMs: 1_000 }

let url: string
let children: Child[]
beforeEach(async () => {
  url = await testDatabase()
  children = []
})
afterEach(async () => {
  for (const { process } of children) process.kill('SIGKILL')
  await Promise.all(children.map(({ exited }) => exited))
})

it('migrates once when many processes open a new database at the same time', async () => {
  const processes = await Promise.all(Array.from({ length: 4 }, () => openProcess()))
  for (const { call } of processes) expect(await call('list', key, { limit: 1 })).toEqual([])
  expect(await queryAt(url, 'SELECT version FROM agentkit.version')).toEqual([{ version: 7 }])
})

it('takes more time for a migration than for other calls, and waits as long for that of another process', async () => {
  const opened = [1, 2].map(async () => {
    const options = { connectionString: url, schema: 'agentkit', poolSize: 1, retryMs: 1_000, queryMs: 500 }
    const database = openDatabase(options, (opening) => migrate(opening, [tables, 'SELECT pg_sleep(1)']))
    await database.open()
    await expect(database.query('SELECT pg_sleep(1)')).rejects.toMatchObject({ code: 'storage' })
    await database.close()
  })
  await Promise.all(opened)
  expect(await queryAt(url, 'SELECT version FROM agentkit.version')).toEqual([{ version: 2 }])
})

it('leaves a database as it was when the process that migrates it is killed', async () => {
  const migrating = startChild(new URL('./__fixtures__/migrate-slowly.ts', import.meta.url), [url])
  children.push(migrating)
  expect(await migrating.nextLine()).toBe('migrating')
  migrating.process.kill('SIGKILL')
  await migrating.exited
  await queryAt(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()",
  )
  expect(await queryAt(url, "SELECT nspname FROM pg_namespace WHERE nspname = 'agentkit'")).toEqual([])
  const store = postgresSessions(url)
  expect(await store.load(key)).toBeUndefined()
  await store.close()
})

it('continues a run whose process was killed, once its heartbeats are stale', async () => {
  const first = await openProcess(soon)
  await first.call('create', key, newRun)
  await first.call('append', 'r1', { attempt: 1, messages: [text('stored')] })
  const store = postgresSessions(url, soon)
  await expect(store.runs?.takeOver('r1', { expectedVersion: 1 })).rejects.toMatchObject({ code: 'session-conflict' })
  first.child.process.kill('SIGKILL')
  const taken = await eventually(() => store.runs?.takeOver('r1', { expectedVersion: 1 }))
  expect(taken).toMatchObject({ attempt: 2, takeovers: 1 })
  expect((await store.find('r1'))?.messages).toEqual([text('stored')])
  await store.close()
})

it.runIf(process.platform !== 'win32')(
  'refuses what a frozen process writes after its run was taken over',
  async () => {
    const frozen = await openProcess(soon)
    await frozen.call('create', key, newRun)
    frozen.child.process.kill('SIGSTOP')
    const store = postgresSessions(url, soon)
    const taken = await eventually(() => store.runs?.takeOver('r1', { expectedVersion: 1 }))
    expect(taken).toMatchObject({ attempt: 2 })
    const late = frozen.call('append', 'r1', { attempt: 1, messages: [text('late')], state: 'late' })
    frozen.child.process.kill('SIGCONT')
    expect(await late).toBe('session-conflict')
    expect(await frozen.call('end', 'r1', { attempt: 1, status: 'done', finishReason: 'stop' })).toBe(
      'session-conflict',
    )
    expect(await store.find('r1')).toMatchObject({ status: 'running', messages: [] })
    await store.close()
  },
)

it('calls those who watch a run after writes of other processes', async () => {
  const watching = await openProcess()
  const store = postgresSessions(url)
  await store.runs?.create(key, newRun)
  await watching.call('watch', 'r1')
  const changes = (): number => watching.child.lines.filter((line) => line === 'changed').length
  // The listener is also called when it begins to listen.
  await expect.poll(changes, { timeout: 60_000 }).toBeGreaterThan(0)
  for (let count = 0; count < 3; count++) {
    const before = changes()
    await store.runs?.append('r1', { attempt: 1, messages: [text('new')] })
    await expect.poll(changes, { timeout: 60_000 }).toBeGreaterThan(before)
  }
  await store.close()
})

type StoreProcess = { child: Child; call(method: string, ...values: unknown[]): Promise<unknown> }

async function openProcess(options: object = {}): Promise<StoreProcess> {
  const child = startChild(new URL('./__fixtures__/store-process.ts', import.meta.url), [url, JSON.stringify(options)])
  children.push(child)
  expect(await child.nextLine()).toBe('open')
  return {
    child,
    async call(...words) {
      child.process.stdin.write(`${JSON.stringify(words)}\n`)
      for (;;) {
        const line = await child.nextLine()
        if (line !== 'changed') return JSON.parse(line)
      }
    },
  }
}

/** Repeats work that succeeds only after a condition which is not reported. */
async function eventually<T>(work: () => Promise<T> | undefined): Promise<T> {
  let result: T | undefined
  await expect.poll(async () => (result = await work()), { timeout: 60_000, interval: 100 }).toBeDefined()
  return result as T // defined above
}

function text(content: string): Message {
  return { v: 1, role: 'user', content }
}
