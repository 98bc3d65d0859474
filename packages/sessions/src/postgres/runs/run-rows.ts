import type { RunRecord, StoredRun } from '@agentkit/core'
import { parseListed, parseOfRun } from '../../util/json.ts'
import { type ApprovalRow, type RecordColumns, recordFrom, toStoredApproval } from '../../util/run-record.ts'
import type { Query } from '../database/database.ts'
import { fromStored, toStored } from '../database/text-form.ts'

/** `approvals` is JSON that Postgres makes; the bodies are JSON in it. */
export type RecordRow = RecordColumns & { approvals: ApprovalRow[] | null }

export type StoredRow = RecordRow & {
  deadline: number | null
  holder: string | null
  takeovers: number
  is_resumable: boolean
  keeps_events: boolean
  is_background: boolean
  awaits_members: boolean
  has_new_session: boolean
  priority: number
  last_event: number
  root_run_id: string | null
  options: string | null
  progress: string | null
  calls: { call_id: string; name: string; started_at: number }[] | null
}

const approvals = `(SELECT json_agg(a ORDER BY id) FROM agentkit.approvals AS a WHERE a.run = r.number)`

/** SQL: the columns of a record. Lists have no answers, and the approvals of runs that wait. */
const recordColumns = `r.number, r.run_id, r.agent_id, r.user_id, s.agent_id AS session_agent_id, s.session_id, r.status,
  r.replaced, r.attempt, r.deadline, r.parent, r.agent_version, r.created_at, r.started_at, r.ended_at, r.finish_reason,
  r.usage, r.error, r.cost, r.sources`
export const listColumns: string = `${recordColumns}, CASE WHEN r.status = 'waiting' THEN ${approvals} END AS approvals`

/** SQL: whether a member's run of `r` has neither ended nor waits. */
export const hasOpenMembers = `EXISTS (SELECT 1 FROM agentkit.runs AS m WHERE m.parent = r.run_id AND m.root IS NOT NULL
  AND m.status IN ('queued', 'running'))`

/** SQL: the columns that are read of a stored run. @param runs the runs, in SQL */
export function storedFrom(runs: string): string {
  return `SELECT ${recordColumns}, r.answer, ${approvals} AS approvals, r.holder, r.takeovers, r.is_resumable,
    r.keeps_events, r.is_background, r.awaits_members, r.priority, r.options, r.progress,
    s.version = 0 AND s.state IS NULL AS has_new_session,
    (SELECT run_id FROM agentkit.runs WHERE number = r.root) AS root_run_id,
    CASE WHEN r.root IS NULL
      THEN greatest(r.last_seq, (SELECT max(seq) FROM agentkit.events WHERE run = r.number))
      ELSE coalesce((SELECT seq FROM agentkit.events WHERE member = r.number ORDER BY member DESC, seq DESC LIMIT 1), 0)
    END AS last_event,
    (SELECT json_agg(c ORDER BY id) FROM agentkit.calls AS c WHERE c.run = r.number) AS calls
  FROM ${runs} AS r JOIN agentkit.sessions AS s ON s.id = r.session`
}

const storedText = `${storedFrom('agentkit.runs')} WHERE r.run_id = $1`

export async function readStoredRun(query: Query, runId: string): Promise<StoredRun | undefined> {
  const [row] = await query<StoredRow>(storedText, [toStored(runId)])
  return row && toStoredRun(row, runId)
}

export function toStoredRun(row: StoredRow, runId: string): StoredRun {
  const stored: StoredRun = {
    record: toRecord(row),
    key: {
      agentId: fromStored(row.session_agent_id),
      userId: fromStored(row.user_id),
      sessionId: fromStored(row.session_id),
    },
    attempt: row.attempt,
    isResumable: row.is_resumable,
    keepsEvents: row.keeps_events,
    calls: (row.calls ?? []).map((call) => ({
      callId: fromStored(call.call_id),
      name: fromStored(call.name),
      startedAt: call.started_at,
    })),
    approvals: (row.approvals ?? []).map((approval) => toStoredApproval(approval, runId, fromStored)),
    lastSeq: row.last_event,
    takeovers: row.takeovers,
  }
  if (row.deadline !== null) stored.deadline = row.deadline
  if (row.options !== null) stored.options = parseOfRun(row.options, stored.record, 'options')
  if (row.progress !== null) stored.progress = parseOfRun(row.progress, stored.record, 'progress')
  if (row.is_background) stored.isBackground = true
  if (row.has_new_session) stored.hasNewSession = true
  if (row.priority !== 0) stored.priority = row.priority
  const isUnheld = row.status === 'running' && row.holder === null
  if (isUnheld && row.awaits_members) stored.awaitsMembers = true
  else if (isUnheld) stored.isFree = true
  if (row.root_run_id !== null) stored.rootRunId = fromStored(row.root_run_id)
  return stored
}

/** The record of a run, for its owner. */
export function toRecord(row: RecordRow): RunRecord {
  return recordFrom(row, row.approvals ?? [], fromStored)
}

/** The record of a run in a list, without what is damaged. */
export function toListed(row: RecordRow): RunRecord {
  return recordFrom(row, row.approvals ?? [], fromStored, parseListed)
}
