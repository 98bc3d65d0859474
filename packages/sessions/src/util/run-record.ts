import type {
  Approval,
  Cost,
  Decision,
  ErrorInfo,
  RunFinishReason,
  RunRecord,
  RunStatus,
  StoredApproval,
  Usage,
} from '@agentkit/core'
import { parseStored } from './json.ts'
import { toISO } from './to-iso.ts'

/** The columns of a record, as both databases have them. */
export type RecordColumns = {
  run_id: string
  agent_id: string
  user_id: string
  session_agent_id: string
  session_id: string
  status: RunStatus
  replaced: boolean | number
  attempt: number
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
  /** Absent in lists. */
  answer?: string | null
}

export type ApprovalRow = {
  approval_id: string
  attempt: number
  body: string
  decision: string | null
  decided_by: string | null
  decided_at: number | null
}

/** Reads a JSON column of a run. @returns `undefined` for one that is left out */
type ReadPart = <T>(stored: string, runId: string, what: string) => T | undefined

/** Converts a text column; JSON columns are never converted. */
type TextOf = (stored: string) => string

const asStored: TextOf = (stored) => stored

/**
 * The record of a run, for its owner.
 * @param approvals of the run; only needed if the run waits
 * @param read for lists, so that a damaged part hides neither its run nor the others
 */
export function recordFrom(
  row: RecordColumns,
  approvals: readonly ApprovalRow[],
  textOf: TextOf = asStored,
  read: ReadPart = parseStored,
): RunRecord {
  const runId = textOf(row.run_id)
  const part = <T>(stored: string | null, what: string): T | undefined =>
    stored === null ? undefined : read<T>(stored, runId, what)
  const record: RunRecord = {
    runId,
    agentId: textOf(row.agent_id),
    userId: textOf(row.user_id),
    status: row.status,
    approvals: [],
    sources: part(row.sources, 'sources') ?? [],
    attempts: row.attempt,
    createdAt: toISO(row.created_at),
  }
  if (row.session_agent_id === row.agent_id) record.sessionId = textOf(row.session_id)
  if (row.status === 'waiting') {
    record.finishReason = 'approval'
    const open = approvals.filter((approval) => isOpen(approval, row))
    record.approvals = open.flatMap(({ body }) => read<Approval>(body, runId, 'approvals') ?? [])
  } else if (row.finish_reason !== null) record.finishReason = row.finish_reason
  if (typeof row.answer === 'string') record.text = textOf(row.answer)
  const error = part<ErrorInfo>(row.error, 'error')
  const usage = part<Usage>(row.usage, 'usage')
  const cost = part<Cost>(row.cost, 'cost')
  if (error !== undefined) record.error = error
  if (usage !== undefined) record.usage = usage
  if (cost !== undefined) record.cost = cost
  if (row.started_at !== null) record.startedAt = toISO(row.started_at)
  if (row.ended_at !== null) record.endedAt = toISO(row.ended_at)
  if (row.replaced) record.replaced = true
  if (row.agent_version !== null) record.agentVersion = textOf(row.agent_version)
  if (row.parent !== null) record.parentRunId = textOf(row.parent)
  return record
}

/** An approval with its decision. */
export function toStoredApproval(row: ApprovalRow, runId: string, textOf: TextOf = asStored): StoredApproval {
  const stored: StoredApproval = toApproval(row, runId)
  if (row.decision !== null) stored.decision = parseStored<Decision>(row.decision, runId, 'decisions')
  if (row.decided_by !== null) stored.decidedBy = textOf(row.decided_by)
  if (row.decided_at !== null) stored.decidedAt = toISO(row.decided_at)
  return stored
}

/** Whether an approval is not decided, and was requested when the run was last suspended. */
function isOpen({ decision, attempt }: ApprovalRow, run: RecordColumns): boolean {
  return decision === null && attempt === run.attempt
}

function toApproval({ body }: ApprovalRow, runId: string): Approval {
  return parseStored(body, runId, 'approvals')
}
