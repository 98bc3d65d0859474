import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { sessionKey } from '../__fixtures__/payer.ts'
import type { RunStore } from '../contracts/run-store.ts'
import { limits } from '../limits.ts'
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

it('stores what is kept with the next entry, and again where that one is refused', async () => {
  const runs = await begunRun()
  const entries: (number | undefined)[] = []
  const counting: RunStore = {
    ...runs,
    async append(runId, entry) {
      entries.push(entry.messages?.length)
      await runs.append(runId, entry)
    },
  }
  const options = { runs: counting, runId: 'r1', attempt: 1, position: 1, report: () => ({}), fail: () => {} }
  const writer = runWriter(options)
  writer.keep({ messages: [input] })
  await writer.flush()
  expect(entries).toEqual([])
  await writer.write({ messages: [input] })
  expect(entries).toEqual([2])
  writer.keep({ messages: [input] })
  await expect(writer.finish(() => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full')
  await writer.flush()
  expect(entries).toEqual([2, 1])
})
