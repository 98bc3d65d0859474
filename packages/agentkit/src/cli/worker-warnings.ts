import type { RunStore } from '@agentkit/core'

/** An agent whose last worker lived so long ago has none. */
const workerGoneMs = 60_000
const scheduleIdleMs = 7 * 24 * 3_600_000

/**
 * Sentences about agents of a store that have queued runs or schedules, and no worker that would start them.
 * @param agentIds which agents are meant
 */
export async function workerWarnings(runs: RunStore, agentIds: readonly string[]): Promise<string[]> {
  const { background } = runs
  if (!background) return []
  const now = runs.now()
  const lastWorker = new Map((await background.lastWorkers()).map(({ agentId, at }) => [agentId, at]))
  const isWithout = (agentId: string, ms: number): boolean => now - (lastWorker.get(agentId) ?? 0) > ms
  const counts = await background.counts()
  const schedules = await background.schedules({ agentIds })
  return agentIds.flatMap((id) => {
    const queued = counts.find(({ agentId }) => agentId === id)?.queued ?? 0
    const own = schedules.filter(({ agentId }) => agentId === id)
    return [
      ...(queued > 0 && isWithout(id, workerGoneMs)
        ? [
            `No worker has had the agent "${id}" for 60 s, and ${queued} of its runs are queued. Start one: agentkit worker <file>`,
          ]
        : []),
      ...(own.length > 0 && isWithout(id, scheduleIdleMs)
        ? [
            `No worker has had the agent "${id}" for 7 days: its schedules start nothing (${own.map(({ name }) => name).join(', ')}).`,
          ]
        : []),
    ]
  })
}
