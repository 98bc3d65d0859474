import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PruneReport, RetentionRules, RunStore } from '../../index.ts'
import { type KeptRules, keepRetention } from './keep-retention.ts'

const hour = 3_600_000
const nothing: PruneReport = { sessions: 0, runs: 0, events: 0, answers: 0 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A store that only says what it is asked to remove. */
function storeOf({ size, report = nothing }: { size?: number; report?: PruneReport } = {}) {
  const pruned: RetentionRules[] = []
  const store = {
    prune: async (rules: RetentionRules) => {
      pruned.push(rules)
      return report
    },
    ...(size !== undefined && { size: async () => size }),
  }
  return { runs: store as unknown as RunStore, pruned } // only these are called
}

function keep(runs: RunStore | undefined, rules: KeptRules = {}) {
  const removed: string[] = []
  const errors: unknown[] = []
  const stop = keepRetention({
    runs,
    rules,
    onRemoved: (what) => removed.push(what),
    onError: (error) => errors.push(error),
  })
  return { removed, errors, stop }
}

it('removes by the rules soon after the start and every hour, until it is stopped', async () => {
  const { runs, pruned } = storeOf()
  const { stop } = keep(runs, { sessionsMs: 5, sessionsPerUser: 6 })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(pruned).toEqual([{ sessionsMs: 5, sessionsPerUser: 6, eventsMs: 24 * hour, answersMs: 24 * hour }])
  await vi.advanceTimersByTimeAsync(hour)
  expect(pruned).toHaveLength(2)
  stop()
  await vi.advanceTimersByTimeAsync(2 * hour)
  expect(pruned).toHaveLength(2)
})

it('reports the removed data', async () => {
  const { removed, stop } = keep(storeOf({ report: { sessions: 1, runs: 2, events: 0, answers: 3 } }).runs)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(removed).toEqual(['1 session with 2 runs, 3 idempotent answers'])
  stop()
})

it.each([
  [1_001, 1_000, true],
  [1_000, 1_000, false],
  [1_001, 0, false],
])(
  'of a store of %i bytes, where %i are allowed, removes events before their time: %s',
  async (size, maxBytes, removes) => {
    const { runs, pruned } = storeOf({ size, report: { ...nothing, events: 2 } })
    const { removed, stop } = keep(runs, { maxBytes })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(pruned.slice(1)).toEqual(removes ? [{ eventsMs: 1 }] : [])
    expect(removed).toEqual(removes ? ['2 events', '2 events'] : ['2 events'])
    stop()
  },
)

it('reports a store that fails, and tries again', async () => {
  const { runs } = storeOf()
  runs.prune = async () => {
    throw new Error('disk')
  }
  const { errors, stop } = keep(runs)
  await vi.advanceTimersByTimeAsync(hour + 10_000)
  expect(errors).toHaveLength(2)
  stop()
})

it('does nothing with a store without runs', async () => {
  const { removed, errors, stop } = keep(undefined)
  await vi.advanceTimersByTimeAsync(10_000)
  expect([removed, errors]).toEqual([[], []])
  stop()
})
