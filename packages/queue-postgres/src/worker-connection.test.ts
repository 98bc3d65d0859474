import { testDatabase } from '@agentkit/test-postgres'
import pg from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startProxy } from './__fixtures__/proxy.ts'
import { WorkerConnection } from './worker-connection.ts'

const patience = { timeout: 60_000 }
type Worker = { connection: WorkerConnection; passes: number; notices: (string | undefined)[] }
let url: string
let workers: Worker[]

beforeEach(async () => {
  url = await testDatabase()
  workers = []
})
afterEach(async () => {
  await Promise.all(workers.map(({ connection }) => connection.close()))
})

function start(connectionString = url): Worker {
  const worker: Omit<Worker, 'connection'> = { passes: 0, notices: [] }
  const connection = new WorkerConnection({
    connectionString,
    onNotice: (payload) => void worker.notices.push(payload),
    supervise: async () => void worker.passes++,
    poll: async () => {},
  })
  const started = Object.assign(worker, { connection })
  workers.push(started)
  return started
}

it('lets three workers supervise, and others take their places', async () => {
  for (let count = 0; count < 6; count++) start()
  await expect.poll(() => supervising().filter(({ passes }) => passes >= 3).length, patience).toBe(3)
  const [first, ...others] = supervising()
  expect(others).toHaveLength(2)
  await first?.connection.close()
  await expect.poll(() => supervising().filter(({ passes }) => passes >= 3).length, patience).toBe(4)
})

it('connects again when its connection ends, and reports that something may have been missed', async () => {
  const worker = start()
  await expect.poll(() => worker.notices.length, patience).toBe(1)
  await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`)
  await expect.poll(() => worker.notices.length, patience).toBe(2)
  await query(`SELECT pg_notify('agentkit_queue_v12', 'news')`)
  await expect.poll(() => worker.notices, patience).toContain('news')
  const { passes } = worker
  await expect.poll(() => worker.passes, patience).toBeGreaterThan(passes)
})

it('asks less often when there are more than 20 workers', async () => {
  const others = await Promise.all(
    Array.from({ length: 39 }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`SELECT pg_advisory_lock_shared(hashtext('agentkit_queue_v12'), 0)`)
      return client
    }),
  )
  const worker = start()
  await expect.poll(() => worker.connection.idleMs, patience).toBe(2_000)
  await Promise.all(others.map((client) => client.end()))
  await expect.poll(() => worker.connection.idleMs, patience).toBe(0)
})

it('warns once where LISTEN does not work, and supervises without a place', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const proxy = await startProxy(url, { dropsNotifications: true })
  const pooled = Array.from({ length: 4 }, () => start(proxy.url))
  await expect.poll(() => Math.min(...pooled.map(({ passes }) => passes)), patience).toBeGreaterThan(2)
  expect(warn.mock.calls.map(([text]) => text)).toEqual(Array(4).fill(expect.stringContaining('LISTEN does not work')))
  // A lock would stay with a connection of the pooler when its worker dies.
  expect(await query(`SELECT FROM pg_locks WHERE locktype = 'advisory'`)).toEqual([])
  warn.mockRestore()
  await Promise.all(pooled.map(({ connection }) => connection.close()))
  await proxy.close()
})

it('takes a slow server for no pooler', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const proxy = await startProxy(url, { listensAfterMs: 3_500 })
  const worker = start(proxy.url)
  await expect.poll(() => worker.notices, patience).toContain(undefined)
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
  await worker.connection.close()
  await proxy.close()
})

function supervising(): Worker[] {
  return workers.filter(({ passes }) => passes > 0)
}

async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
