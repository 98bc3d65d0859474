import { testDatabase } from '@agentkit/test-postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Watchers, watchersOf } from '../../util/watchers.ts'
import { queryAt } from '../__fixtures__/query-at.ts'
import { type TCPProxy, tcpProxy } from '../__fixtures__/tcp-proxy.ts'
import { type Announcements, openAnnouncements } from './announcements.ts'
import { type Database, openDatabase } from './database.ts'

// Tests the announcements between processes. Each process has its own watchers, pool and listening connection.

type Process = { database: Database; watchers: Watchers; announcements: Announcements }

let url: string
let proxy: TCPProxy
let opened: Process[]
const timeout = 60_000
beforeEach(async () => {
  url = await testDatabase()
  proxy = await tcpProxy(url)
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map(({ announcements, database }) => announcements.close().then(database.close)))
  await proxy.close()
})

it('calls those who watch a run of another process, and no others', async () => {
  const [writer, reader] = [open(url), open(url)]
  const seen = watch(reader, 'r1', 'r2', 'é')
  await expect.poll(() => reader.announcements.isReceiving, { timeout }).toBe(true)
  seen.length = 0
  writer.announcements.announce('r1')
  writer.announcements.announce('é')
  writer.announcements.announce('r3')
  await expect.poll(() => seen.toSorted(), { timeout }).toEqual(['r1', 'é'])
})

it('reports thousands of runs at once', async () => {
  const [writer, reader] = [open(url), open(url)]
  const ids = Array.from({ length: 3_000 }, (_, index) => `a run with a long id ${index}`)
  const seen = new Set<string>()
  for (const id of ids) reader.watchers.watch(id, () => void seen.add(id))
  reader.announcements.listen()
  await expect.poll(() => reader.announcements.isReceiving, { timeout }).toBe(true)
  seen.clear()
  for (const id of ids) writer.announcements.announce(id)
  await expect.poll(() => seen.size, { timeout }).toBe(ids.length)
})

it('does not call its own watchers: its writes have done that', async () => {
  const [writer, reader] = [open(url), open(url)]
  const own = watch(writer, 'r1')
  const seen = watch(reader, 'r1', 'r2')
  await expect.poll(() => writer.announcements.isReceiving && reader.announcements.isReceiving, { timeout }).toBe(true)
  own.length = 0
  seen.length = 0
  writer.announcements.announce('r1')
  reader.announcements.announce('r2')
  await expect.poll(() => seen, { timeout }).toContain('r1')
  expect(own).toEqual([])
})

it('listens again when its connection is lost, and calls all who may have missed something', async () => {
  const reader = open(url)
  const seen = watch(reader, 'r1')
  await expect.poll(() => reader.announcements.isReceiving, { timeout }).toBe(true)
  seen.length = 0
  await queryAt(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'agentkit listener' AND datname = current_database()`,
  )
  await expect.poll(() => seen, { timeout }).toContain('r1')
  await expect.poll(() => reader.announcements.isReceiving, { timeout }).toBe(true)
})

it('notices a connection over which nothing arrives, and opens another one', async () => {
  const reader = open(proxy.urlOf(url), url)
  proxy.freezeAt('LISTEN')
  const seen = watch(reader, 'r1')
  await expect.poll(() => reader.announcements.isReceiving, { timeout }).toBe(true)
  expect(seen).toContain('r1')
})

it('calls readers now and then where no messages arrive, as behind a pooler, and warns once', async () => {
  const warnings: string[] = []
  const note = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', note)
  proxy.passesNotifications = false
  const reader = open(proxy.urlOf(url), url)
  const seen = watch(reader, 'r1')
  await expect.poll(() => warnings.length, { timeout }).toBeGreaterThan(0)
  expect(warnings).toEqual([expect.stringContaining('LISTEN')])
  expect(reader.announcements.isReceiving).toBe(false)
  seen.length = 0
  await expect.poll(() => seen.length, { timeout }).toBeGreaterThan(1)
  process.off('warning', note)

  // The listener works again once messages arrive.
  proxy.passesNotifications = true
  await expect.poll(() => reader.announcements.isReceiving, { timeout }).toBe(true)
})

it('keeps no connection that is open only after it is closed', async () => {
  const [other, reader] = [open(url), open(url)]
  const seen = watch(reader, 'r1')
  // The connection of the reader is still being opened.
  await reader.announcements.close()
  await reader.database.close()
  watch(other, 'r2')
  await expect.poll(() => other.announcements.isReceiving, { timeout }).toBe(true)
  await new Promise((later) => setTimeout(later, 1_000))
  const listeners = await queryAt(
    url,
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'agentkit listener' AND datname = current_database()`,
  )
  expect(listeners).toHaveLength(1)
  expect(seen).toEqual([])
})

/** @param listenAt where it listens @param queryAt where its other statements run */
function open(listenAt: string, queryUrl = listenAt): Process {
  const options = { schema: 'agentkit', poolSize: 1, retryMs: 60_000 }
  const pool = openDatabase({ ...options, connectionString: queryUrl }, async () => {})
  const database = { ...pool, options: { ...options, connectionString: listenAt } }
  const watchers = watchersOf(`process ${opened.length}`)
  const announcements = openAnnouncements(database, watchers, { checkMs: 100 })
  opened.push({ database, watchers, announcements })
  return { database, watchers, announcements }
}

/** @returns the calls, by run */
function watch({ watchers, announcements }: Process, ...runIds: string[]): string[] {
  const seen: string[] = []
  for (const runId of runIds) watchers.watch(runId, () => void seen.push(runId))
  announcements.listen()
  return seen
}
