import type { BackgroundRuns, RunNotice, UndeliveredNotice } from '@agentkit/core'
import { messageOf } from '@agentkit/core/internal'
import type { Access } from '../database/access.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { listColumns, type RecordRow, toRecord } from '../runs/run-rows.ts'

/** The columns that a notice has copied from its run, and the current columns of the run. */
type NoticeRow = RecordRow & { notice_id: string; tries: number; noticed_at: number }

/** Notices of runs that have ended or wait. */
export function runNotices({
  database: { query },
  holder,
}: Access): Pick<BackgroundRuns, 'takeNotices' | 'settleNotice' | 'undelivered'> {
  return {
    async takeNotices(agentIds, { limit, leaseMs }) {
      const now = holder.now()
      const values = [agentIds.map(toStored), now, now + leaseMs, limit]
      const rows = await query<NoticeRow>(takeText, values)
      const notices: RunNotice[] = []
      for (const row of rows) {
        const { notice_id: noticeId, tries, noticed_at: createdAt } = row
        try {
          notices.push({ noticeId, tries, createdAt, record: toRecord(row) })
        } catch (error) {
          // A notice that cannot be read does not delay others.
          await query(failText, [noticeId, toStored(messageOf(error))])
        }
      }
      return notices
    },

    async settleNotice(noticeId, outcome) {
      const id = toStored(noticeId)
      if (outcome === 'delivered') await query('DELETE FROM agentkit.notices WHERE notice_id = $1', [id])
      else if ('retryAt' in outcome) {
        await query('UPDATE agentkit.notices SET due_at = $2 WHERE notice_id = $1', [id, outcome.retryAt])
      } else {
        await query(failText, [id, toStored(outcome.failed)])
      }
    },

    async undelivered(runId) {
      const rows = await query<{ notice_id: string; tries: number; created_at: number; failure: string | null }>(
        `SELECT notice_id, tries, created_at, failure FROM agentkit.notices
          WHERE run = (SELECT number FROM agentkit.runs WHERE run_id = $1) ORDER BY id`,
        [toStored(runId)],
      )
      return rows.map(({ notice_id, tries, created_at, failure }) => {
        const notice: UndeliveredNotice = { noticeId: notice_id, tries, createdAt: created_at }
        if (failure !== null) notice.failed = fromStored(failure)
        return notice
      })
    },
  }
}

const failText = 'UPDATE agentkit.notices SET due_at = NULL, failure = $2 WHERE notice_id = $1'
/** A notice of a run that waited has the approvals of then, decided or not. */
const approvalsOfThen = `CASE WHEN n.status = 'waiting' THEN (SELECT json_agg(json_build_object('approval_id', a.approval_id,
    'attempt', a.attempt, 'body', a.body, 'decision', NULL) ORDER BY id)
  FROM agentkit.approvals AS a WHERE a.run = n.run AND a.attempt >= n.attempt) END`
/** A run that is retried has no answer, and then another one. */
const isLastEnd = 'r.ended_at = n.created_at AND r.attempt = n.attempt'
const columnsOfThen = listColumns
  .replace('r.status,', 'n.status,')
  .replace('r.attempt,', 'n.attempt,')
  .replace('r.ended_at,', `CASE WHEN n.status <> 'waiting' THEN n.created_at END AS ended_at,`)
  .replace('r.finish_reason,', 'n.finish_reason,')
  .replace('r.error,', 'n.error,')
  .replace('r.replaced,', 'false AS replaced,')
  .replace(
    'r.sources',
    `CASE WHEN ${isLastEnd} THEN r.sources END AS sources, CASE WHEN ${isLastEnd} THEN r.answer END AS answer`,
  )
  .replace(/CASE WHEN r\.status = 'waiting' THEN [\s\S]* AS approvals/, `${approvalsOfThen} AS approvals`)
const takeText = `WITH taken AS (
    UPDATE agentkit.notices SET tries = tries + 1, due_at = $3::bigint WHERE id IN (
      SELECT id FROM agentkit.notices WHERE agent_id = ANY($1) AND due_at <= $2::bigint
      ORDER BY due_at, id LIMIT $4 FOR UPDATE SKIP LOCKED)
    RETURNING *
  ) SELECT ${columnsOfThen}, n.notice_id, n.tries, n.created_at AS noticed_at
    FROM taken AS n JOIN agentkit.runs AS r ON r.number = n.run JOIN agentkit.sessions AS s ON s.id = r.session
    ORDER BY n.id`
