import type { TakenJob } from '../../contracts/run-queue.ts'
import type { RunStore } from '../../contracts/run-store.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { isEnded } from '../../data/run-record.ts'
import { limits } from '../../limits.ts'
import { cancelLive, liveRunIds } from '../../sessions/live-runs.ts'

/** Stops runs of this process that have ended in the store: another process has cancelled or replaced them. */
export async function stopEnded(store: SessionStore, runs: RunStore, jobs: readonly TakenJob[]): Promise<void> {
  for (const agentId of new Set(jobs.map((job) => job.agentId))) {
    const own = jobs.filter((job) => job.agentId === agentId)
    const running = await runs.list({ agentId }, { status: 'running', limit: limits.mostConcurrency })
    const known = new Set(running.map(({ runId }) => runId))
    // Runs of members are not in the list.
    for (const { runId } of own.filter((job) => !known.has(job.runId))) {
      const status = (await runs.read(runId))?.record.status
      if (status === undefined || isEnded(status)) await cancelLive(store, runId)
    }
  }
}

/** Stops runs of this process that another run has just interrupted or replaced. Others may be about to end by themselves. */
export async function stopInterrupted(store: SessionStore, runs: RunStore): Promise<void> {
  const stopped = liveRunIds(store).map(async (runId) => {
    const { status, finishReason } = (await runs.read(runId))?.record ?? {}
    if (status === 'failed' && finishReason === 'aborted') await cancelLive(store, runId)
  })
  await Promise.all(stopped)
}
