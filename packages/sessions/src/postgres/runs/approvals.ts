import { AgentKitError, type Cost, type Decision, type RunStatus, type StoredApproval } from '@agentkit/core'
import { alreadyDecided, isEnded } from '@agentkit/core/internal'
import { hasEnded, unknownRun } from '../../util/conflicts.ts'
import { jsonOrNull, parseStored, toJSON } from '../../util/json.ts'
import type { Writing } from '../database/access.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { afterStop } from './end-runs.ts'
import { headOf, type RunHead } from './rows.ts'
import { noticeOf } from './write-entry.ts'

/** Suspends a run whose entry is stored. @returns the decisions on its approvals that are stored already */
export async function suspendRun(
  writing: Writing,
  runId: string,
  { attempt, approvals, cost }: { attempt: number; approvals: readonly StoredApproval[]; cost?: Cost },
  isRepeated: boolean,
): Promise<Record<string, Decision>> {
  const { query, now } = writing
  const ids = approvals.map(({ approvalId }) => toStored(approvalId))
  const bodies = approvals.map(({ decision: _, decidedBy: _by, decidedAt: _at, ...approval }) => toJSON(approval))
  const rows = await query<{ approval_id: string; decision: string | null }>(addApprovalsText, [
    ...[toStored(runId), ids, bodies, attempt, now],
  ])
  if (!isRepeated) {
    const [run] = await query<{ number: number; in_tree: boolean; status: RunStatus }>(suspendText, [
      ...[toStored(runId), now, jsonOrNull(cost)],
    ])
    if (run?.in_tree && run.status === 'waiting') await afterStop(writing, run.number)
  }
  const decided = rows.filter(({ decision }) => decision !== null)
  return Object.fromEntries(
    // Filtered above.
    decided.map((row) => [
      fromStored(row.approval_id),
      parseStored<Decision>(row.decision as string, runId, 'decisions'),
    ]),
  )
}

const addApprovalsText = `INSERT INTO agentkit.approvals (run, approval_id, attempt, body, requested_at)
  SELECT number, a.id, $4::int, a.body, $5::bigint
    FROM agentkit.runs, unnest($2::text[], $3::text[]) AS a (id, body) WHERE run_id = $1
  ON CONFLICT (run, approval_id) DO UPDATE SET attempt = excluded.attempt, body = excluded.body
  RETURNING approval_id, decision`
/** A run with an open approval waits; without one it is free. */
const openApprovals = `FROM agentkit.approvals AS a WHERE a.run = r.number AND decision IS NULL AND a.attempt = r.attempt`
const suspendText = `WITH run AS (UPDATE agentkit.runs AS r SET holds_session = false, holder = NULL,
      status = CASE WHEN EXISTS (SELECT 1 ${openApprovals}) THEN 'waiting' ELSE 'running' END,
      waiting_since = (SELECT min(requested_at) ${openApprovals}), cost = coalesce($3::text, cost)
    WHERE run_id = $1 RETURNING number, session, agent_id, status, attempt, finish_reason, error, notifies, in_tree
  ), moved AS (UPDATE agentkit.sessions SET version = version + 1, updated_at = $2::bigint FROM run WHERE id = run.session
  ), noticed AS (${noticeOf('$2::bigint')} AND status = 'waiting')
  SELECT number, in_tree, status FROM run`
const reopenText = `UPDATE agentkit.runs AS r SET is_resumable = true,
    status = CASE WHEN status = 'waiting' AND NOT EXISTS (SELECT 1 ${openApprovals}) THEN 'running' ELSE status END,
    waiting_since = CASE WHEN status = 'waiting' THEN (SELECT min(requested_at) ${openApprovals}) END
  WHERE number = $1 RETURNING status`

/** Stores decisions, all or none. @returns the run's status afterwards */
export async function decide(
  { query, holder, now, again, touch }: Writing,
  runId: string,
  decisions: Readonly<Record<string, Decision>>,
  by: string | undefined,
): Promise<RunStatus> {
  const [run] = await query<RunHead>(`${headOf(holder)} WHERE run_id = $1 FOR NO KEY UPDATE`, [toStored(runId)])
  if (!run) throw unknownRun(runId)
  for (const [approvalId, decision] of Object.entries(decisions)) {
    const [approval] = await query<{ decision: string | null; decided_by: string | null; decided_at: number }>(
      'SELECT decision, decided_by, decided_at FROM agentkit.approvals WHERE run = $1 AND approval_id = $2',
      [run.number, toStored(approvalId)],
    )
    if (!approval) {
      throw new AgentKitError('not-found', `The run ${runId} has no approval ${approvalId}.`, { runId })
    }
    if (approval.decision !== null && !(again && approval.decided_at === now)) {
      const earlier = parseStored<Decision>(approval.decision, runId, 'decisions')
      const by = approval.decided_by === null ? null : fromStored(approval.decided_by)
      throw alreadyDecided(approvalId, earlier, approval.decided_at, by)
    }
    await query(
      'UPDATE agentkit.approvals SET decision = $3, decided_by = $4, decided_at = $5 WHERE run = $1 AND approval_id = $2',
      [run.number, toStored(approvalId), toJSON(decision), by === undefined ? null : toStored(by), now],
    )
  }
  // Nothing is stored then. After a decision that was made before, which says more.
  if (isEnded(run.status)) throw hasEnded(runId)
  touch(runId)
  // A decision is a promise to continue the run.
  const [row] = await query<{ status: RunStatus }>(reopenText, [run.number])
  return row?.status ?? run.status
}
