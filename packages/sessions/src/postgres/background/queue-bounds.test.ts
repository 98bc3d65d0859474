import type { QueuedRunEntry } from '@agentkit/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Writing } from '../database/access.ts'
import { enqueueRuns } from './enqueue-runs.ts'

let now = 0
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now))
afterEach(() => void vi.restoreAllMocks())

/** A store with this number of queued runs, and how often all of them were counted. */
function storeWith(queued: number) {
  const store = { queued, counted: 0, added: 0 }
  const query = async (text: string, values: readonly unknown[] = []): Promise<unknown[]> => {
    if (text.includes('WHERE user_id = $1')) return [{ runs: 0 }]
    if (text.includes('count(*)')) {
      store.counted++
      return [{ runs: store.queued }]
    }
    // The second column of the added runs.
    const ids = values[1]
    if (!text.startsWith('INSERT INTO agentkit.runs') || !Array.isArray(ids)) return []
    store.queued += ids.length
    return ids.map((run_id) => ({ run_id }))
  }
  // The parts that `enqueueRuns` uses.
  const writing = { query, holder: {}, now: 0, again: false, touch: () => {} } as unknown as Writing
  const add = (runs: number, bound: number): Promise<unknown> =>
    enqueueRuns(writing, Array.from({ length: runs }, entry), { queued: bound, userQueued: 1_000_000 })
  const entry = (): QueuedRunEntry => ({
    ...{ runId: `r${store.added++}`, agentId: 'helper', title: 'Hi', onBusy: 'queue' },
    ...{ key: { agentId: 'helper', userId: 'ann', sessionId: 's' }, options: { v: 1 } },
  })
  return Object.assign(store, { add })
}

it('counts all queued runs again after a second, and after a tenth of the room that it has found is used', async () => {
  const store = storeWith(100)
  for (let index = 0; index < 5; index++) await store.add(1, 1_000)
  expect(store.counted).toBe(1)
  now += 1_000
  await store.add(1, 1_000)
  expect(store.counted).toBe(2)
  // 106 are queued; 89 of the other 894 need no count.
  await store.add(89, 1_000)
  expect(store.counted).toBe(2)
  await store.add(1, 1_000)
  expect(store.counted).toBe(3)
  await store.add(1, 999)
  expect(store.counted).toBe(4)
})

it('queues as many runs as the bound and none beyond it', async () => {
  const store = storeWith(0)
  let refused = 0
  for (let index = 0; index < 300; index++) await store.add(1, 200).catch(() => refused++)
  expect(store.queued).toBe(200)
  expect(refused).toBe(100)
  expect(store.counted).toBeLessThan(200)
})
