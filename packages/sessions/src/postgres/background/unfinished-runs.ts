import type { QueuedJob, RunCounts, RunStatus } from '@agentkit/core'
import { jobOf } from '@agentkit/core/internal'
import type { Query } from '../database/database.ts'
import type { HeldRow, Holder } from '../database/holder.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { placeInLists } from '../runs/list-runs.ts'

type UnfinishedRow = HeldRow & {
  place: number
  agent_id: string
  user_id: string
  session_agent_id: string
  session_id: string
  status: RunStatus
  priority: number
  due_at: number | null
  ready_at: number | null
}

/** Jobs of the background runs that need a worker. */
export async function unfinishedRuns(
  query: Query,
  holder: Holder,
  agentIds: readonly string[] | undefined,
  { after, limit }: { after?: string; limit: number },
): Promise<QueuedJob[]> {
  let last = 0
  if (after !== undefined) {
    const text = `SELECT ${placeInLists} AS place FROM agentkit.runs AS r WHERE run_id = $1`
    const [row] = await query<{ place: number }>(text, [toStored(after)])
    if (!row) return []
    last = row.place
  }
  const jobs: QueuedJob[] = []
  for (;;) {
    const values = [last, limit, ...(agentIds === undefined ? [] : [agentIds.map(toStored)])]
    const rows = await query<UnfinishedRow>(unfinishedText(holder, agentIds === undefined), values)
    for (const row of rows) {
      last = row.place
      if (jobs.length < limit && (row.holder === null || holder.isLost(row))) jobs.push(toJob(row))
    }
    if (jobs.length >= limit || rows.length < limit) return jobs
  }
}

function unfinishedText({ id, isAlive }: Holder, ofAll: boolean): string {
  return `SELECT ${placeInLists} AS place, r.run_id, r.agent_id, r.user_id, s.agent_id AS session_agent_id, s.session_id, r.status,
      r.priority, r.due_at, r.ready_at, r.attempt, r.holder, ${isAlive} AS is_alive
    FROM agentkit.runs AS r JOIN agentkit.sessions AS s ON s.id = r.session
    WHERE r.is_background AND r.ended_at IS NULL AND ${placeInLists} > $1 AND r.status IN ('queued', 'running')
      AND (r.holder IS NULL OR r.holder = '${id}' OR NOT ${isAlive})
      AND NOT r.awaits_members${ofAll ? '' : ' AND r.agent_id = ANY($3)'}
    ORDER BY ${placeInLists} LIMIT $2`
}

function toJob(row: UnfinishedRow): QueuedJob {
  return jobOf({
    key: {
      agentId: fromStored(row.session_agent_id),
      userId: fromStored(row.user_id),
      sessionId: fromStored(row.session_id),
    },
    runId: fromStored(row.run_id),
    agentId: fromStored(row.agent_id),
    priority: row.priority,
    // Only a member's run has no `ready_at`, and it has no session.
    acceptedAt: row.ready_at ?? 0,
    ...(row.status === 'queued' && row.due_at !== null && { dueAt: row.due_at }),
  })
}

/** The counts of background runs by agent, without the runs of members. */
export async function countRuns(query: Query): Promise<RunCounts[]> {
  const rows = await query<{ agent_id: string; status: RunStatus; runs: number; attempts: number }>(countsText, [])
  const counts = new Map<string, RunCounts>()
  for (const { agent_id, status, runs, attempts } of rows) {
    const agentId = fromStored(agent_id)
    const none = { queued: 0, running: 0, waiting: 0, failed: 0, crashed: 0, attempts: 0 }
    const count = counts.get(agent_id) ?? { agentId, ...none }
    counts.set(agent_id, count)
    count.attempts += attempts
    if (status !== 'done') count[status] = runs
  }
  const crashed = await query<{ agent_id: string; runs: number }>(crashedText, [])
  const withQueued = [...counts].filter(([, { queued }]) => queued > 0).map(([agentId]) => agentId)
  const oldest = await query<{ agent_id: string; at: number | null }>(oldestText, [withQueued])
  for (const { agent_id, runs } of crashed) Object.assign(counts.get(agent_id) ?? {}, { crashed: runs })
  for (const { agent_id, at } of oldest) {
    // It may have begun since.
    if (at !== null) Object.assign(counts.get(agent_id) ?? {}, { oldestQueuedAt: at })
  }
  return [...counts.values()]
}

const countsText = `SELECT agent_id, status, count(*) AS runs, sum(attempt) AS attempts FROM agentkit.runs
  WHERE is_background AND root IS NULL GROUP BY agent_id, status`
const crashedText = `SELECT agent_id, count(*) AS runs FROM agentkit.runs WHERE is_background AND root IS NULL
  AND status = 'failed' AND position('"code":"crashed"' IN error) > 0 GROUP BY agent_id`
const oldestText = `SELECT agent_id, (SELECT ready_at FROM agentkit.runs AS r WHERE r.agent_id = a.agent_id
    AND is_background AND root IS NULL AND status = 'queued' ORDER BY r.agent_id, ready_at LIMIT 1) AS at
  FROM unnest($1::text[]) AS a (agent_id)`
