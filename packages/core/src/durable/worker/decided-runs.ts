import type { SessionStore } from '../../contracts/session-store.ts'
import { isAcquired, isLive } from '../../sessions/live-runs.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { jobOfStored } from '../queue/job-of.ts'

/**
 * Adds a job for each decided run of these agents that no process continues. A background run has one by its decision. A
 * run is found twice before: meanwhile a reader who waits for the decision, or a caller of `resume`, continues it.
 * @returns looks for them once
 */
export function decidedRuns(
  store: SessionStore,
  runs: BackgroundStore,
  agentIds: readonly string[],
): () => Promise<void> {
  const { queue } = runs.background
  let found: ReadonlySet<string> = new Set()
  return async () => {
    const orphans = await runs.orphans(agentIds)
    const free = orphans.filter(({ runId, isLost }) => !isLost && !isAcquired(store, runId) && !isLive(store, runId))
    const again = free.map(({ runId }) => runId).filter((runId) => found.has(runId))
    found = new Set(free.map(({ runId }) => runId))
    if (again.length === 0) return
    for (const runId of await queue.missing(again)) {
      const stored = await runs.read(runId)
      if (stored?.isFree) await queue.add([jobOfStored(stored)])
    }
  }
}
