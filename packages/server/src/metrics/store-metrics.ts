import type { BackgroundRuns, RunCounts } from '@agentkit/core'
import { scheduleIdleMs, workerGoneMs } from '@agentkit/core/internal'
import type { Metric } from './metrics-text.ts'

type Counted = Pick<BackgroundRuns, 'counts' | 'lastWorkers' | 'schedules'>

/** More agents of one store are left out: an agent is a label, and labels are bounded. */
const maxAgents = 200

/** The metrics of a store's background runs, by agent. */
export async function storeMetrics(background: Counted, now: number): Promise<Metric[]> {
  const [counts, workers, schedules] = await Promise.all([
    background.counts(),
    background.lastWorkers(),
    background.schedules({}),
  ])
  const lastWorker = new Map(workers.map(({ agentId, at }) => [agentId, at]))
  const agentIds = [...new Set([...counts, ...workers, ...schedules].map(({ agentId }) => agentId))].sort()
  const shown = agentIds.slice(0, maxAgents)
  const byAgent = new Map(counts.map((each) => [each.agentId, each]))
  const withoutFor = (agentId: string): number => now - (lastWorker.get(agentId) ?? Number.NEGATIVE_INFINITY)
  const gauge = (name: string, help: string, read: (agentId: string, counted: RunCounts) => number): Metric => ({
    name: `agentkit_${name}`,
    type: 'gauge',
    help,
    values: shown.map((agentId) => ({
      labels: { agent: agentId },
      value: read(agentId, byAgent.get(agentId) ?? noRuns(agentId)),
    })),
  })
  return [
    gauge('runs_queued', 'Background runs that wait for a worker.', (_, { queued }) => queued),
    gauge('runs_running', 'Background runs that have begun.', (_, { running }) => running),
    gauge('runs_waiting', 'Background runs that wait for decisions.', (_, { waiting }) => waiting),
    gauge('runs_failed', 'Background runs that have failed and are still stored.', (_, { failed }) => failed),
    gauge('runs_dead', 'Failed runs with which too many processes have died.', (_, { crashed }) => crashed),
    gauge('run_attempts', 'How often the stored background runs were begun and taken over.', (_, run) => run.attempts),
    gauge('oldest_queued_seconds', 'How long the oldest queued run has waited.', (_, { oldestQueuedAt }) =>
      oldestQueuedAt === undefined ? 0 : Math.max(0, (now - oldestQueuedAt) / 1000),
    ),
    gauge('agent_without_worker', '1 when no worker has had the agent for 60 s.', (agentId) =>
      withoutFor(agentId) > workerGoneMs ? 1 : 0,
    ),
    gauge('schedules_without_worker', 'Schedules of an agent that no worker has had for 7 days.', (agentId) =>
      withoutFor(agentId) > scheduleIdleMs ? schedules.filter((schedule) => schedule.agentId === agentId).length : 0,
    ),
  ]
}

function noRuns(agentId: string): RunCounts {
  return { agentId, queued: 0, running: 0, waiting: 0, failed: 0, crashed: 0, attempts: 0 }
}
