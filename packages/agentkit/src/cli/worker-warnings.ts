import type { RunStore } from '@agentkit/core'
import { scheduleIdleMs, workerGoneMs } from '@agentkit/core/internal'

/**
 * Sentences about agents of a store that have queued runs or schedules, and no worker that would start them.
 * @param agentIds which agents are meant; all when absent
 */
export async function workerWarnings(runs: RunStore, agentIds?: readonly string[]): Promise<string[]> {
  const { background } = runs
  if (!background) return []
  const now = runs.now()
  const lastWorker = new Map((await background.lastWorkers()).map(({ agentId, at }) => [agentId, at]))
  const counts = (await background.counts()).filter(({ queued }) => queued > 0)
  const schedules = await background.schedules({})
  const all = new Set([...counts, ...schedules].map(({ agentId }) => agentId))
  return [...(agentIds ?? all)].flatMap((id) => {
    const { queued, oldestQueuedAt = 0 } = counts.find(({ agentId }) => agentId === id) ?? { queued: 0 }
    const own = schedules.filter(({ agentId }) => agentId === id).map(({ name }) => name)
    const isIdle = queued > 0 && now - (lastWorker.get(id) ?? oldestQueuedAt) > workerGoneMs
    const isForgotten = own.length > 0 && now - (lastWorker.get(id) ?? 0) > scheduleIdleMs
    const since = lastWorker.has(id) ? 'for 7 days' : 'yet'
    return [
      ...(isIdle
        ? [`No worker has had the agent "${id}" for 60 s, and ${queued} of its runs are queued: agentkit worker <file>`]
        : []),
      ...(isForgotten
        ? [`No worker has had the agent "${id}" ${since}: its schedules start nothing (${own.join(', ')}).`]
        : []),
    ]
  })
}
