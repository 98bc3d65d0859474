import type { RunRecord, StoredRun } from '@agentkit/core'
import { parseListed, parseOfRun } from '../../util/json.ts'
import { type ApprovalRow, type RecordColumns, recordFrom, toStoredApproval } from '../../util/run-record.ts'
import type { Statements } from '../statements/statements.ts'
import { readEventRange } from './stored-events.ts'

// The casts below hold: the rows have the shapes that the statements select and the migrations declare.

export type RecordRow = RecordColumns & { number: number }

type StoredRow = RecordRow & {
  takeovers: number
  is_resumable: number
  keeps_events: number
  is_background: number
  awaits_members: number
  root: string | null
  holder: string | null
  priority: number
  last_seq: number
  deadline: number | null
  options: string | null
  progress: string | null
}

export function readStoredRun(statements: Statements, runId: string): StoredRun | undefined {
  const row = statements.storedRun.get(runId) as StoredRow | undefined
  if (!row) return undefined
  const { number } = row
  const approvals = approvalsOf(statements, number)
  const stored: StoredRun = {
    record: recordFrom(row, approvals),
    key: { agentId: row.session_agent_id, userId: row.user_id, sessionId: row.session_id },
    attempt: row.attempt,
    isResumable: row.is_resumable === 1,
    keepsEvents: row.keeps_events === 1,
    calls: statements.calls.all(number).map((call) => ({
      callId: call.call_id as string,
      name: call.name as string,
      startedAt: call.started_at as number,
    })),
    approvals: approvals.map((approval) => toStoredApproval(approval, runId)),
    lastSeq: Math.max(readEventRange(statements, runId)?.last ?? 0, row.last_seq),
    takeovers: row.takeovers,
  }
  if (row.is_background) stored.isBackground = true
  if (row.status === 'running' && row.holder === null) stored[row.awaits_members ? 'awaitsMembers' : 'isFree'] = true
  if (row.root !== null) stored.rootRunId = row.root
  if (row.priority !== 0) stored.priority = row.priority
  if (row.deadline !== null) stored.deadline = row.deadline
  if (row.options !== null) stored.options = parseOfRun(row.options, stored.record, 'options')
  if (row.progress !== null) stored.progress = parseOfRun(row.progress, stored.record, 'progress')
  return stored
}

/** The record of a run, for its owner. The rest of the run may be damaged. */
export function readRecord(statements: Statements, runId: string): RunRecord | undefined {
  const row = statements.storedRun.get(runId) as StoredRow | undefined
  return row && toRecord(statements, row)
}

/** The record of a run, for its owner. */
function toRecord(statements: Statements, row: RecordRow): RunRecord {
  return recordFrom(row, openApprovals(statements, row))
}

/** The record of a run in a list, without what is damaged. */
export function toListed(statements: Statements, row: RecordRow): RunRecord {
  return recordFrom(row, openApprovals(statements, row), (stored) => stored, parseListed)
}

function openApprovals(statements: Statements, { status, number }: RecordRow): ApprovalRow[] {
  return status === 'waiting' ? approvalsOf(statements, number) : []
}

function approvalsOf(statements: Statements, number: number): ApprovalRow[] {
  return statements.approvals.all(number) as ApprovalRow[]
}
