import type { SessionStore } from '../../contracts/session-store.ts'
import { limits } from '../../limits.ts'
import { endExpiredRuns } from '../../runs/expired-runs.ts'
import { type BackgroundStore, backgroundOf } from '../queue/background-of.ts'

/** Adds a job for each run that needs a worker and has none, and ends runs whose approvals have expired. */
export async function sweep(
  store: SessionStore,
  agents: readonly { id: string; approvalMs: number }[],
  signal: AbortSignal,
): Promise<void> {
  for (const { id, approvalMs } of agents) await endExpiredRuns(store, id, approvalMs)
  const agentIds = agents.map(({ id }) => id)
  await addMissingJobs(backgroundOf(store), agentIds, signal)
}

/** Adds a job for each run that needs a worker and has none. */
export async function addMissingJobs(
  { background }: BackgroundStore,
  agentIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  let after: string | undefined
  while (!signal?.aborted) {
    const page = await background.unfinished(agentIds, {
      limit: limits.sweepPage,
      ...(after !== undefined && { after }),
    })
    const missing = new Set(await background.queue.missing(page.map(({ runId }) => runId)))
    const jobs = page.filter(({ runId }) => missing.has(runId))
    if (jobs.length > 0) await background.queue.add(jobs)
    after = page.at(-1)?.runId
    if (page.length < limits.sweepPage) return
  }
}
