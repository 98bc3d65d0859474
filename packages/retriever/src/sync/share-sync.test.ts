import { AgentKitError, type SyncReport } from '@agentkit/core'
import { beforeEach, expect, it } from 'vitest'
import { type SharedSync, shareSync } from './share-sync.ts'
import type { SyncRun } from './sync.ts'

type Started = SyncRun & { finish(report?: Partial<SyncReport>): void; fail(error: unknown): void }

let started: Started[]
let shared: SharedSync
beforeEach(() => {
  started = []
  shared = shareSync((run) => {
    const { promise, resolve, reject } = Promise.withResolvers<SyncReport>()
    started.push({ ...run, finish: (changes) => resolve({ ...nothing, ...changes }), fail: reject })
    run.signal.addEventListener('abort', () => reject(run.signal.reason))
    return promise
  })
})
const nothing: SyncReport = {
  indexed: 0,
  unchanged: 0,
  removed: 0,
  pending: 0,
  chunks: 0,
  skipped: [],
  warnings: [],
  mode: 'text',
}
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))
const at = (index: number): Started => started[index] as Started

it('is one sync for concurrent calls', async () => {
  const calls = [shared.sync(), shared.sync(), shared.sync()]
  await turn()
  at(0).onScan()
  at(0).finish({ indexed: 2 })
  const reports = await Promise.all(calls)
  expect(reports.map(({ indexed }) => indexed)).toEqual([2, 2, 2])
  expect(started).toHaveLength(1)
})

it('scans once more for calls that come after the scan has started', async () => {
  const first = shared.sync()
  await turn()
  at(0).onScan()
  const late = [shared.sync(), shared.sync()]
  await turn()
  expect(started).toHaveLength(1)
  at(0).finish({ indexed: 2 })
  await first
  await turn()
  expect(started).toHaveLength(2)
  // A call between the two joins the second.
  late.push(shared.sync())
  at(1).onScan()
  at(1).finish({ indexed: 1, unchanged: 2 })
  expect((await Promise.all(late)).map(({ indexed }) => indexed)).toEqual([1, 1, 1])
})

it('returns the first report to them when there was nothing new', async () => {
  const first = shared.sync()
  await turn()
  at(0).onScan()
  const late = shared.sync()
  at(0).finish({ indexed: 2, unchanged: 1, chunks: 5 })
  await first
  await turn()
  at(1).finish({ unchanged: 3, chunks: 5 })
  expect(await late).toEqual(await first)
})

it('continues with the next one after a failure', async () => {
  const first = shared.sync()
  await turn()
  at(0).onScan()
  const late = shared.sync()
  at(0).fail(new Error('broken'))
  await expect(first).rejects.toThrow('broken')
  await turn()
  at(1).finish({ indexed: 1 })
  expect(await late).toMatchObject({ indexed: 1 })
  const next = shared.sync()
  await turn()
  at(2).finish()
  await next
})

it('stops with the last caller that leaves, not before', async () => {
  const one = new AbortController()
  const other = new AbortController()
  const calls = [shared.sync({ signal: one.signal }), shared.sync({ signal: other.signal })]
  await turn()
  one.abort()
  await expect(calls[0]).rejects.toMatchObject({ code: 'aborted' })
  expect(at(0).signal.aborted).toBe(false)
  other.abort()
  await expect(calls[1]).rejects.toBeDefined()
  expect(at(0).signal.aborted).toBe(true)
  // A later caller is not stopped with it.
  const next = shared.sync()
  await turn()
  at(1).finish({ indexed: 1 })
  expect(await next).toMatchObject({ indexed: 1 })
})

it('reports progress to every caller, and fails only the one that throws', async () => {
  const progress: number[] = []
  const fine = shared.sync({ onProgress: ({ filesDone }) => progress.push(filesDone) })
  const throwing = shared.sync({
    onProgress() {
      throw new Error('my mistake')
    },
  })
  await turn()
  at(0).onProgress({ files: 2, filesDone: 1, bytes: 0, bytesDone: 0, chunks: 0, elapsedMs: 0 })
  await expect(throwing).rejects.toThrow('my mistake')
  at(0).finish({ indexed: 2 })
  expect(await fine).toMatchObject({ indexed: 2 })
  expect(progress).toEqual([1])
})

it('stops the running and the waiting sync', async () => {
  const calls = [shared.sync()]
  await turn()
  at(0).onScan()
  calls.push(shared.sync())
  const reason = new AgentKitError('invalid-argument', 'Closed.')
  await shared.stop(reason)
  for (const call of calls) await expect(call).rejects.toBe(reason)
  expect(started).toHaveLength(1)
})

it('lets a caller leave who waits for the sync of others', async () => {
  const first = shared.sync()
  await turn()
  at(0).onScan()
  const leaving = new AbortController()
  const late = shared.sync({ signal: leaving.signal })
  leaving.abort()
  await expect(late).rejects.toMatchObject({ code: 'aborted' })
  at(0).finish({ indexed: 1 })
  expect((await first).indexed).toBe(1)
  await turn()
  expect(started).toHaveLength(1)
})

it('stops when the last caller leaves after another one has failed', async () => {
  const leaving = new AbortController()
  const failing = shared.sync({
    onProgress() {
      throw new Error('mine')
    },
  })
  const other = shared.sync({ signal: leaving.signal })
  await turn()
  const progress = { files: 1, filesDone: 0, bytes: 1, bytesDone: 0, chunks: 0, elapsedMs: 0 }
  at(0).onProgress(progress)
  await expect(failing).rejects.toThrow('mine')
  expect(at(0).signal.aborted).toBe(false)
  leaving.abort(new Error('left'))
  await expect(other).rejects.toThrow('left')
  expect(at(0).signal.aborted).toBe(true)
})
