import { afterEach, expect, it } from 'vitest'
import { watchersOf } from '../../util/watchers.ts'
import type { HolderRow } from './holders.ts'
import { openSQLiteDatabase } from './sqlite-database.ts'
import { openStore } from './store-access.ts'

const database = openSQLiteDatabase(':memory:', { durability: 'normal', lockTimeoutMs: 1_000 })
const { holder, write } = openStore(database, watchersOf(':memory:'), { heartbeatMs: 60_000, staleAfterMs: 60_000 })
afterEach(() => database.close(() => {}))

const row: HolderRow = { holder: holder.id, host: null, pid: null, thread: null, heartbeat: null }

it('holds work for later calls of the same commit, and lets it go when the call fails', async () => {
  // The number of calls that are committed at once: later calls are committed together.
  const before = Array.from({ length: 4 }, () => write(() => {}))
  const seen: boolean[] = []
  const held = write((_statements, _touch, hold) => hold('run 1'))
  const failed = write((_statements, _touch, hold) => {
    hold('run 2')
    throw new Error('no')
  })
  const later = write(() => void seen.push(holder.isAlive(row, 'run 1'), holder.isAlive(row, 'run 2')))
  await Promise.allSettled([...before, held, failed, later])

  expect(seen).toEqual([true, false])
  expect([holder.isAlive(row, 'run 1'), holder.isAlive(row, 'run 2')]).toEqual([true, false])
})
