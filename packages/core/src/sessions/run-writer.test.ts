import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { sessionKey } from '../__fixtures__/payer.ts'
import type { RunStore } from '../contracts/run-store.ts'
import { limits } from '../limits.ts'
import { eventQueue } from './event-queue.ts'
import { runWriter } from './run-writer.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const input = { v: 1, role: 'user', content: 'Go.' } as const

async function begunRun(): Promise<RunStore> {
  const { runs } = memoryDisk().open().store
  const run = { runId: 'r1', agentId: 'payer', expectedVersion: 0, input: [input], options: {} }
  await runs.create(sessionKey, { ...run, isResumable: true, keepsEvents: false })
  return runs
}

it.each([
  ['frozen, and another one has the run', 2, limits.slowWriteMs + 1, 'session-conflict'],
  ['slow, and has the run', 1, limits.slowWriteMs + 1, undefined],
])('after a write whose process was %s, the run ends or continues', async (_, attempt, ms, code) => {
  const runs = await begunRun()
  const frozen: RunStore = {
    ...runs,
    async append(runId, entry) {
      await runs.append(runId, entry)
      vi.advanceTimersByTime(ms)
    },
    async read(runId) {
      const stored = await runs.read(runId)
      return stored && { ...stored, attempt }
    },
  }
  const writer = runWriter({ runs: frozen, runId: 'r1', attempt: 1, position: 1, report: () => ({}), fail: () => {} })
  const written = writer.write({ messages: [input] }).then(
    () => undefined,
    ({ code }) => code,
  )
  expect(await written).toBe(code)
})

it('stores what is kept with the next entry, alone after this turn of the event loop, and again where that was refused', async () => {
  const runs = await begunRun()
  const entries: (number | undefined)[] = []
  let isFull = false
  const disk: RunStore = {
    ...runs,
    async append(runId, entry) {
      entries.push(entry.messages?.length)
      if (isFull) throw new Error('disk full')
      await runs.append(runId, entry)
    },
  }
  const writer = runWriter({ runs: disk, runId: 'r1', attempt: 1, position: 1, report: () => ({}), fail: () => {} })
  writer.keep({ messages: [input] })
  await writer.write({ messages: [input] })
  expect(entries).toEqual([2])
  writer.keep({ messages: [input] })
  await nextTurn()
  await writer.flush()
  expect(entries).toEqual([2, 1])
  isFull = true
  writer.keep({ messages: [input] })
  await nextTurn()
  await writer.flush()
  await expect(writer.finish(() => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full')
  expect(entries).toEqual([2, 1, 1])
  isFull = false
  expect(await writer.finish(async ({ position, messages }) => [position, messages?.length])).toEqual([4, 1])
})

it('leaves the events of a step to its next entry, and stores more than 4 KB at once', () => {
  const events = eventQueue()
  const place = { runId: 'r1', path: [] }
  for (let seq = 1; seq <= 8; seq++) {
    void events.add({ ...place, seq, type: 'agent-start', name: 'Payer' })
    expect(events.isDue()).toBe(false)
  }
  void events.add({ ...place, seq: 9, type: 'text-delta', text: 'x'.repeat(limits.eventBatchBytes) })
  expect(events.isDue()).toBe(true)
  expect(events.take()).toHaveLength(9)
})
