import type { QueuedJob, RunCounts, RunStatus } from '@agentkit/core'
import { jobOf } from '@agentkit/core/internal'
import { toJSON } from '../../util/json.ts'
import type { Holder, HolderRow } from '../database/holders.ts'
import type { Statements } from '../statements/statements.ts'

type UnfinishedRow = HolderRow & {
  run_id: string
  agent_id: string
  user_id: string
  session_agent_id: string
  session_id: string
  status: RunStatus
  priority: number
  due_at: number | null
  ready_at: number | null
  attempt: number
}

/** Jobs of the background runs that need a worker. */
export function unfinishedRuns(
  statements: Statements,
  holder: Holder,
  agentIds: readonly string[] | undefined,
  { after, limit }: { after?: string; limit: number },
): QueuedJob[] {
  const last = after === undefined ? 0 : (statements.placeInLists.get(after)?.place as number | undefined)
  if (last === undefined) return []
  const jobs: QueuedJob[] = []
  const agents = agentIds === undefined ? null : toJSON(agentIds)
  for (const found of statements.unfinishedRuns.iterate({ after: last, agents })) {
    if (jobs.length >= limit) break
    const row = found as UnfinishedRow // what the statement selects
    if (row.holder !== null && holder.isAlive(row, row.run_id, row.attempt)) continue
    jobs.push(toJob(row))
  }
  return jobs
}

function toJob(row: UnfinishedRow): QueuedJob {
  const { run_id: runId, agent_id: agentId, user_id: userId, session_agent_id, session_id, priority } = row
  return jobOf({
    key: { agentId: session_agent_id, userId, sessionId: session_id },
    ...{ runId, agentId, priority },
    // Only a member's run has no `ready_at`, and it has no session.
    acceptedAt: row.ready_at ?? 0,
    ...(row.status === 'queued' && row.due_at !== null && { dueAt: row.due_at }),
  })
}

/** The counts of background runs by agent, without the runs of members. */
export function countRuns(statements: Statements): RunCounts[] {
  const counts = new Map<string, RunCounts>()
  for (const { agent_id, status, runs, attempts } of statements.backgroundCounts.all()) {
    const none = { queued: 0, running: 0, waiting: 0, failed: 0, crashed: 0, attempts: 0 }
    // The columns have the types that the statement selects.
    const agentId = agent_id as string
    const count = counts.get(agentId) ?? { agentId, ...none }
    counts.set(agentId, count)
    count.attempts += attempts as number
    if (status !== 'done') count[status as Exclude<RunStatus, 'done'>] = runs as number
  }
  // Another process may have written between these statements: an agent may be new, and a queued run may have begun.
  for (const { agent_id, runs } of statements.crashedCounts.all()) {
    Object.assign(counts.get(agent_id as string) ?? {}, { crashed: runs })
  }
  for (const { agent_id, oldest } of statements.oldestQueued.all()) {
    if (oldest !== null) Object.assign(counts.get(agent_id as string) ?? {}, { oldestQueuedAt: oldest })
  }
  return [...counts.values()]
}
