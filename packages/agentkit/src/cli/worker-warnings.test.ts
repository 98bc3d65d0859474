import type { RunCounts, RunStore, StoredSchedule } from '@agentkit/core'
import { expect, it } from 'vitest'
import { workerWarnings } from './worker-warnings.ts'

const now = Date.parse('2026-11-24T12:00:00Z')
const day = 86_400_000
const digest: StoredSchedule = {
  ...{ agentId: 'mailer', name: 'digest', cron: '0 7 * * *', timeZone: 'UTC', missed: 'skip', userId: 'ann' },
  entry: null,
}

function storeOf(
  queuedFor: number | undefined,
  workerAgo: number | undefined,
  schedules: StoredSchedule[] = [],
): RunStore {
  const counted: RunCounts = {
    ...{ agentId: 'mailer', queued: 2, running: 0, waiting: 0, failed: 0, crashed: 0, attempts: 0 },
    oldestQueuedAt: now - (queuedFor ?? 0),
  }
  const background = {
    counts: async () => (queuedFor === undefined ? [] : [counted]),
    lastWorkers: async () => (workerAgo === undefined ? [] : [{ agentId: 'mailer', at: now - workerAgo }]),
    schedules: async () => schedules,
  }
  return { now: () => now, background } as unknown as RunStore // only these are called
}

it.each([
  ['its runs are queued and its worker is gone', 1_000, 61_000, true],
  ['its runs are queued and it had no worker', 61_000, undefined, true],
  ['its runs have just been queued', 59_000, undefined, false],
  ['its worker lives', 3_600_000, 3_000, false],
  ['none of its runs are queued', undefined, day, false],
])('where %s', async (_, queuedFor, workerAgo, warns) => {
  const warnings = await workerWarnings(storeOf(queuedFor, workerAgo))
  expect(warnings).toEqual(
    warns ? [expect.stringContaining('No worker has had the agent "mailer" for 60 s, and 2')] : [],
  )
})

it.each([
  ['8 days', 8 * day, true],
  ['6 days', 6 * day, false],
])('warns of schedules of an agent whose worker is gone for %s', async (_, workerAgo, warns) => {
  const warnings = await workerWarnings(storeOf(undefined, workerAgo, [digest]))
  expect(warnings).toEqual(warns ? [expect.stringMatching(/"mailer" for 7 days.*\(digest\)/)] : [])
})

it('does not count days for an agent that had no worker', async () => {
  const warnings = await workerWarnings(storeOf(undefined, undefined, [digest]))
  expect(warnings).toEqual(['No worker has had the agent "mailer" yet: its schedules start nothing (digest).'])
})

it('is about the agents that are asked for', async () => {
  expect(await workerWarnings(storeOf(day, undefined), ['writer'])).toEqual([])
})
