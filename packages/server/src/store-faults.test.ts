import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Agent } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { expectHealthy, expectProblem } from './__fixtures__/requests.ts'
import { freePort, startServer } from './__fixtures__/server-process.ts'
import { ask } from './__fixtures__/stored-agent.ts'
import { serve } from './serve.ts'
import type { LogEntry } from './util/log.ts'

let folder = ''
let path = ''
const closers: (() => Promise<unknown>)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-store-faults-'))
  path = join(folder, 'sessions.db')
})
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(log: (entry: LogEntry) => void = () => {}): Promise<string> {
  const sessions = sqliteSessions(path, { lockTimeoutMs: 100 })
  const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(Array(9).fill('Fine.')), sessions })
  const server = await serve(agent, { port: 0, log })
  closers.push(() => sessions.close(), server.close)
  return server.url
}

const chat = (url: string, content = 'Hi'): Promise<Response> => fetch(`${url}/api/v1/chat`, ask(content))

/** The number of messages in the history. */
async function messages(url: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/chat_history?user_id=ada&session_id=first`)
  return response.status === 404 ? 0 : (await response.json()).length
}

it.skipIf(process.platform === 'win32')(
  'F17 a disk without room is 507 for new messages, and what was acknowledged is kept',
  async () => {
    const port = await freePort()
    // The largest file of the process has some 400 KB. Node is to get an error instead of a signal.
    const full = await startServer(folder, port, 0, { limit: `trap '' XFSZ; ulimit -f 800;` })
    closers.push(async () => full.child.kill('SIGKILL'))
    let acknowledged = 0
    let response = await chat(full.url, 'x'.repeat(20_000))
    for (; response.ok && acknowledged < 200; acknowledged++) {
      await response.text()
      response = await chat(full.url, 'x'.repeat(20_000))
    }
    await expectProblem(response, 507, 'insufficient-storage')
    expect(acknowledged).toBeGreaterThan(0)
    await expectHealthy(full.url)
    full.child.kill('SIGKILL')
    await full.exit

    const next = await startServer(folder, port, 0)
    closers.push(async () => next.child.kill('SIGKILL'))
    expect(await messages(next.url)).toBeGreaterThanOrEqual(2 * acknowledged)
    expect((await chat(next.url)).status).toBe(200)
    next.child.kill('SIGTERM')
    await next.exit
    const database = new DatabaseSync(path, { readOnly: true })
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    database.close()
  },
)

it('F18, 58 a locked store is 503 with Retry-After, and works once it is free', async () => {
  const url = await start()
  expect((await chat(url)).status).toBe(200)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const refused = await chat(url)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await expectProblem(refused, 503, 'storage')
  // Reading does not wait.
  expect(await messages(url)).toBe(2)
  other.exec('ROLLBACK')
  other.close()
  expect((await chat(url)).status).toBe(200)
  expect(await messages(url)).toBe(4)
})

it.skipIf(process.platform === 'win32')('F19 a store whose file was deleted continues with a new one', async () => {
  const url = await start()
  expect((await chat(url)).status).toBe(200)
  for (const name of ['', '-wal', '-shm']) rmSync(path + name, { force: true })
  // The first one may notice it as a conflict.
  let response = await chat(url)
  if (!response.ok) response = await chat(url)
  expect(response.status).toBe(200)
  expect(existsSync(path)).toBe(true)
  expect(await messages(url)).toBe(2)
})

it('F19 a damaged store is logged once while its runs are looked for', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  writeFileSync(path, 'no database '.repeat(1_000))
  const logged: string[] = []
  await start(({ message, error = '' }) => void logged.push(`${message} ${error}`))
  // They are looked for every 5 s.
  await vi.advanceTimersByTimeAsync(30_000)
  const continued = logged.filter((line) => line.startsWith('A stored run could not be continued.'))
  expect(continued).toEqual([expect.stringContaining('is not a session database')])
})

it('F19 a damaged store is 503, without its path, and is not touched', async () => {
  writeFileSync(path, 'no database '.repeat(1_000))
  const url = await start()
  const response = await chat(url)
  const problem = await expectProblem(response, 503, 'storage')
  expect(JSON.stringify(problem)).not.toContain(folder)
  expect((await fetch(`${url}/ready`)).status).toBe(503)
  await expectHealthy(url)
  rmSync(path)
  expect((await chat(url)).status).toBe(200)
  expect((await fetch(`${url}/ready`)).status).toBe(200)
})
