import { hostname } from 'node:os'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openHolder } from './holders.ts'
import type { SQLiteDatabase } from './sqlite-database.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('takes no holder for dead whose heartbeat is old because the clock was set back and forth', () => {
  // Nothing is written.
  const holder = openHolder({} as SQLiteDatabase, { heartbeatMs: 2_000, staleAfterMs: 10_000 })
  const beat = () => ({ holder: 'other', host: hostname(), pid: process.ppid, thread: 0, heartbeat: Date.now() })
  const setBy = (ms: number): unknown => vi.setSystemTime(Date.now() + ms)
  expect(holder.isAlive(beat(), 'run')).toBe(true)
  setBy(-3_600_000)
  const last = beat()
  expect(holder.isAlive(last, 'run')).toBe(true)
  setBy(3_600_000)
  expect(holder.isAlive(last, 'run')).toBe(true)
  // It gives no sign any more.
  vi.advanceTimersByTime(10_001)
  expect(holder.isAlive(last, 'run')).toBe(false)
})
