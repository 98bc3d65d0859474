import type { BackgroundRuns, RunNotice, RunRecord, UndeliveredNotice } from '@agentkit/core'
import { messageOf } from '@agentkit/core/internal'
import { parseStored, toJSON } from '../../util/json.ts'
import { storeTime } from '../../util/store-time.ts'
import type { StoreAccess } from '../database/store-access.ts'

type NoticeRow = { notice_id: string; tries: number; created_at: number; record: string; rowid: number; run_id: string }

/** Notices of runs that have ended or wait. */
export function runNotices({
  read,
  write,
}: StoreAccess): Pick<BackgroundRuns, 'takeNotices' | 'settleNotice' | 'undelivered'> {
  return {
    async takeNotices(agentIds, { limit, leaseMs }) {
      const agents = toJSON(agentIds)
      // Most calls find none, and wait for no lock.
      const hasDue = await read((statements) => statements.hasDueNotice.get({ now: storeTime(), agents })?.due === 1)
      if (!hasDue) return []
      const rows = await write((statements) => {
        const now = storeTime()
        return statements.takeNotices.all({ now, until: now + leaseMs, agents, limit }) as NoticeRow[] // its columns
      })
      const notices: RunNotice[] = []
      for (const row of rows.toSorted((a, b) => a.rowid - b.rowid)) {
        try {
          notices.push(toNotice(row))
        } catch (error) {
          // A notice that cannot be read does not delay others.
          await write((statements) => statements.failNotice.run(messageOf(error), row.notice_id))
        }
      }
      return notices
    },

    async settleNotice(noticeId, outcome) {
      await write((statements) => {
        if (outcome === 'delivered') statements.endNotice.run(noticeId)
        else if ('retryAt' in outcome) statements.postponeNotice.run(outcome.retryAt, noticeId)
        else statements.failNotice.run(outcome.failed, noticeId)
      })
    },

    undelivered: (runId) =>
      read((statements) =>
        statements.undelivered.all(runId).map((row) => {
          // The columns have the types that the statement selects.
          const { notice_id, tries, created_at, failed } = row as Omit<NoticeRow, 'record'> & { failed: string | null }
          const notice: UndeliveredNotice = { noticeId: notice_id, tries, createdAt: created_at }
          if (failed !== null) notice.failed = failed
          return notice
        }),
      ),
  }
}

function toNotice({ notice_id, tries, created_at, record, run_id }: NoticeRow): RunNotice {
  return {
    noticeId: notice_id,
    tries,
    createdAt: created_at,
    record: parseStored<RunRecord>(record, run_id, 'notice'),
  }
}
