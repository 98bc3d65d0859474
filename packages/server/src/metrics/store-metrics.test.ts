import type { RunCounts, StoredSchedule } from '@agentkit/core'
import { expect, it } from 'vitest'
import { metricsText } from './metrics-text.ts'
import { storeMetrics } from './store-metrics.ts'

const now = Date.parse('2026-11-24T12:00:00Z')
const counted: RunCounts = {
  agentId: 'writer',
  ...{ queued: 3, running: 2, waiting: 1, failed: 5, crashed: 4, attempts: 17 },
  oldestQueuedAt: now - 90_000,
}
const digest: StoredSchedule = {
  ...{
    agentId: 'mailer',
    name: 'digest',
    cron: '0 7 * * *',
    timeZone: 'UTC',
    missed: 'skip',
    userId: 'ann',
    entry: null,
  },
}

async function metricsOf(store: {
  counts?: RunCounts[]
  workers?: { agentId: string; at: number }[]
  schedules?: StoredSchedule[]
}) {
  const { counts = [], workers = [], schedules = [] } = store
  const background = {
    counts: async () => counts,
    lastWorkers: async () => workers,
    schedules: async () => schedules,
  }
  return metricsText(await storeMetrics(background, now))
}

it('shows the background runs of each agent by state, and how long the oldest has waited', async () => {
  const text = await metricsOf({ counts: [counted], workers: [{ agentId: 'writer', at: now - 3_000 }] })
  const values = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(values).toEqual([
    'agentkit_runs_queued{agent="writer"} 3',
    'agentkit_runs_running{agent="writer"} 2',
    'agentkit_runs_waiting{agent="writer"} 1',
    'agentkit_runs_failed{agent="writer"} 5',
    'agentkit_runs_dead{agent="writer"} 4',
    'agentkit_run_attempts{agent="writer"} 17',
    'agentkit_oldest_queued_seconds{agent="writer"} 90',
    'agentkit_agent_without_worker{agent="writer"} 0',
    'agentkit_schedules_without_worker{agent="writer"} 0',
  ])
})

it('reports an agent that no worker has had for a minute', async () => {
  const text = await metricsOf({ counts: [counted], workers: [{ agentId: 'writer', at: now - 61_000 }] })
  expect(text).toContain('agentkit_agent_without_worker{agent="writer"} 1')
})

it.each([
  ['never had a worker', [], 1],
  ['had none for 8 days', [{ agentId: 'mailer', at: now - 8 * 86_400_000 }], 1],
  ['had one yesterday', [{ agentId: 'mailer', at: now - 86_400_000 }], 0],
])('counts schedules of an agent that %s', async (_, workers, count) => {
  const text = await metricsOf({ workers, schedules: [digest] })
  expect(text).toContain(`agentkit_schedules_without_worker{agent="mailer"} ${count}`)
})

it('names no user, and at most 200 agents', async () => {
  const counts = Array.from({ length: 300 }, (_, index) => ({ ...counted, agentId: `agent-${index}` }))
  const text = await metricsOf({ counts, schedules: [digest] })
  expect(text).not.toContain('ann')
  expect(text.match(/^agentkit_runs_queued/gm)).toHaveLength(200)
})
