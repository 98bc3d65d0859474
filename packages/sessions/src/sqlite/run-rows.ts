import type {
  Approval,
  Decision,
  RunFinishReason,
  RunRecord,
  RunStatus,
  StoredApproval,
  StoredRun,
} from '@agentkit/core'
import { parseStored } from '../util/json.ts'
import { toISO } from '../util/to-iso.ts'
import type { Statements } from './statements.ts'
import { readEventRange } from './stored-events.ts'

// The rows have the shapes that the statements select and the migrations declare; hence the casts below.

export type RecordRow = {
  number: number
  run_id: string
  agent_id: string
  user_id: string
  session_agent_id: string
  session_id: string
  status: RunStatus
  replaced: number
  attempt: number
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
  parent: string | null
  agent_version: string | null
  created_at: number
  started_at: number | null
  ended_at: number | null
  finish_reason: RunFinishReason | null
  usage: string | null
  error: string | null
  cost: string | null
  sources: string | null
}

type StoredRow = RecordRow & { answer: string | null; options: string | null; progress: string | null }

type ApprovalRow = {
  approval_id: string
  attempt: number
  body: string
  decision: string | null
  decided_by: string | null
  decided_at: number | null
}

export function readStoredRun(statements: Statements, runId: string): StoredRun | undefined {
  const row = statements.storedRun.get(runId) as StoredRow | undefined
  if (!row) return undefined
  const { number } = row
  const approvals = approvalsOf(statements, number)
  const record = toRecord(statements, row, approvals)
  if (row.answer !== null) record.text = row.answer
  const stored: StoredRun = {
    record,
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
  if (row.options !== null) stored.options = parseStored(row.options, runId, 'options')
  if (row.progress !== null) stored.progress = parseStored(row.progress, runId, 'progress')
  return stored
}

/** What the owner of a run may see: the rest of the run may be damaged. */
export function readRecord(statements: Statements, runId: string): RunRecord | undefined {
  const row = statements.storedRun.get(runId) as StoredRow | undefined
  if (!row) return undefined
  const record = toRecord(statements, row)
  if (row.answer !== null) record.text = row.answer
  return record
}

/** What the owner of a run may see, without the answer. */
export function toRecord(
  statements: Statements,
  row: RecordRow,
  approvals: readonly ApprovalRow[] = row.status === 'waiting' ? approvalsOf(statements, row.number) : [],
): RunRecord {
  const runId = row.run_id
  const record: RunRecord = {
    runId,
    agentId: row.agent_id,
    userId: row.user_id,
    status: row.status,
    approvals: [],
    sources: row.sources === null ? [] : parseStored(row.sources, runId, 'sources'),
    attempts: row.attempt,
    createdAt: toISO(row.created_at),
  }
  if (row.session_agent_id === row.agent_id) record.sessionId = row.session_id
  if (row.status === 'waiting') {
    record.finishReason = 'approval'
    record.approvals = approvals.filter((approval) => isOpen(approval, row)).map((open) => toApproval(open, runId))
  } else if (row.finish_reason !== null) record.finishReason = row.finish_reason
  if (row.error !== null) record.error = parseStored(row.error, runId, 'error')
  if (row.usage !== null) record.usage = parseStored(row.usage, runId, 'usage')
  if (row.cost !== null) record.cost = parseStored(row.cost, runId, 'cost')
  if (row.started_at !== null) record.startedAt = toISO(row.started_at)
  if (row.ended_at !== null) record.endedAt = toISO(row.ended_at)
  if (row.replaced) record.replaced = true
  if (row.agent_version !== null) record.agentVersion = row.agent_version
  if (row.parent !== null) record.parentRunId = row.parent
  return record
}

function approvalsOf(statements: Statements, number: number): ApprovalRow[] {
  return statements.approvals.all(number) as ApprovalRow[]
}

/** Not decided, and requested when the run was suspended last. */
function isOpen({ decision, attempt }: ApprovalRow, run: RecordRow): boolean {
  return decision === null && attempt === run.attempt
}

function toApproval({ body }: ApprovalRow, runId: string): Approval {
  return parseStored(body, runId, 'approvals')
}

function toStoredApproval(row: ApprovalRow, runId: string): StoredApproval {
  const stored: StoredApproval = toApproval(row, runId)
  if (row.decision !== null) stored.decision = parseStored<Decision>(row.decision, runId, 'decisions')
  if (row.decided_by !== null) stored.decidedBy = row.decided_by
  if (row.decided_at !== null) stored.decidedAt = toISO(row.decided_at)
  return stored
}
