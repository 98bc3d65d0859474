import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import type { RunStore } from '../contracts/run-store.ts'
import type { AgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { watchEnded } from './watch-ended.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

async function watched() {
  const { store } = memoryDisk().open()
  const runs = store.runs as RunStore
  const input = [{ role: 'user' as const, content: 'Hi' }]
  const run = { runId: 'r', agentId: 'test', expectedVersion: 0, input, isResumable: true, keepsEvents: false }
  await runs.create({ agentId: 'test', userId: 'ann', sessionId: 's' }, run)
  const reasons: AgentKitError[] = []
  const stop = watchEnded({ runs, runId: 'r', attempt: 1 }, (reason) => void reasons.push(reason))
  const look = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(limits.decisionPollMs))
  return { runs, reasons, stop, look }
}

it('does not read a store that ends with its process', async () => {
  const { runs, look, stop } = await watched()
  stop()
  const { background: _, ...ofThisProcess } = runs
  const read = vi.spyOn(ofThisProcess, 'read')
  watchEnded({ runs: ofThisProcess, runId: 'r', attempt: 1 }, () => {})
  await look()
  expect(read).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

it('leaves a run alone that still runs here', async () => {
  const { reasons, look, stop } = await watched()
  await look()
  await look()
  expect(reasons).toEqual([])
  stop()
  expect(vi.getTimerCount()).toBe(0)
})

it('reports once that another process has cancelled the run', async () => {
  const { runs, reasons, look } = await watched()
  const error = { code: 'aborted', message: 'A later run replaces this one.', retryable: false } as const
  await runs.cancel('r', { status: 'failed', finishReason: 'aborted', error })
  await look()
  await look()
  expect(reasons).toMatchObject([{ code: 'aborted', message: 'A later run replaces this one.' }])
  expect(vi.getTimerCount()).toBe(0)
})

it('reports that the run is gone with its session', async () => {
  const { runs, reasons, look } = await watched()
  vi.spyOn(runs, 'read').mockResolvedValue(undefined)
  await look()
  expect(reasons).toMatchObject([{ code: 'aborted' }])
})

it('reports that another process has taken the run over', async () => {
  const { runs, reasons, look } = await watched()
  await runs.release('r', 1)
  await runs.takeOver('r', { expectedVersion: 1 })
  await look()
  expect(reasons).toMatchObject([{ code: 'session-conflict' }])
})

it('looks again where the store fails', async () => {
  const { runs, reasons, look } = await watched()
  const read = vi.spyOn(runs, 'read').mockRejectedValueOnce(new Error('locked'))
  await look()
  expect([read.mock.calls.length, reasons.length]).toEqual([1, 0])
  await runs.cancel('r', { status: 'failed', finishReason: 'aborted' })
  await look()
  expect(reasons).toHaveLength(1)
})

it('reads twenty of many runs at a time, in turn', async () => {
  const { runs } = await watched()
  const read = vi.spyOn(runs, 'read').mockImplementation(async () => undefined)
  const gone: string[] = []
  for (let index = 0; index < 49; index++) {
    const runId = `run-${index}`
    watchEnded({ runs, runId, attempt: 1 }, () => void gone.push(runId))
  }
  for (const most of [20, 40, 50, 50]) {
    await vi.advanceTimersByTimeAsync(limits.decisionPollMs)
    expect(read.mock.calls).toHaveLength(most)
  }
  expect(gone).toHaveLength(49)
  expect(vi.getTimerCount()).toBe(0)
})

it('reads each run again after the others', async () => {
  const { runs } = await watched()
  const stored = await runs.read('r')
  const read = vi.spyOn(runs, 'read').mockImplementation(async () => stored)
  for (let index = 0; index < 29; index++) watchEnded({ runs, runId: `run-${index}`, attempt: 1 }, () => {})
  for (let time = 0; time < 3; time++) await vi.advanceTimersByTimeAsync(limits.decisionPollMs)
  const times = new Map<string, number>()
  for (const [runId] of read.mock.calls) times.set(runId, (times.get(runId) ?? 0) + 1)
  expect(times.size).toBe(30)
  expect(new Set(times.values())).toEqual(new Set([2]))
})
