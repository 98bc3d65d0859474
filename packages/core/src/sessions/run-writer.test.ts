import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { sessionKey } from '../__fixtures__/payer.ts'
import type { RunStore } from '../contracts/run-store.ts'
import { limits } from '../limits.ts'
import { cancelStored } from './end-event.ts'
import { eventQueue } from './event-queue.ts'
import { RunWriter } from './run-writer.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const input = { v: 1, role: 'user', content: 'Go.' } as const

async function begunRun(): Promise<RunStore> {
  const { runs } = memoryDisk().open().store
  const run = { runId: 'r1', agentId: 'payer', expectedVersion: 0, input: [input], options: {} }
  await runs.create(sessionKey, { ...run, isResumable: true, keepsEvents: false })
  return runs
}

function writerOf(runs: RunStore): RunWriter {
  const heldAt = performance.now()
  return new RunWriter({ runs, heldAt, runId: 'r1', attempt: 1, position: 1, report: () => ({}), fail: () => {} })
}

it.each([
  ['long ago, and another process has the run', limits.confirmAfterMs + 1, true, [2, 'session-conflict']],
  ['long ago, and it has the run', limits.confirmAfterMs + 1, false, [2, undefined]],
  ['lately', limits.confirmAfterMs, true, [1, undefined]],
])('where its last write began %s, it is confirmed', async (_, ms, isTaken, outcome) => {
  const runs = await begunRun()
  let writes = 0
  const slow: RunStore = {
    ...runs,
    async append(runId, entry) {
      await runs.append(runId, { ...entry, attempt: writes++ > 0 && isTaken ? 2 : 1 })
      vi.advanceTimersByTime(ms)
    },
  }
  const writer = writerOf(slow)
  await writer.write({ messages: [input] })
  const code = await writer.confirm()?.catch((error) => error.code)
  expect([writes, code]).toEqual(outcome)
})

it.each<[string, (writer: RunWriter, runs: RunStore) => Promise<unknown>]>([
  ['an entry', (writer) => writer.write({ messages: [input] })],
  [
    'its end',
    (writer, runs) => writer.finish((entry) => runs.end('r1', { ...entry, status: 'done', finishReason: 'stop' })),
  ],
])('a run that another process has cancelled learns by the write of %s that it was', async (_, write) => {
  const runs = await begunRun()
  await cancelStored(runs, 'r1')
  await expect(write(writerOf(runs), runs)).rejects.toMatchObject({ code: 'aborted' })
})

it('stores deferred events with the next entry, alone after this turn of the event loop, and again where that was refused', async () => {
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
  const writer = writerOf(disk)
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
