import { AgentKitError, type RunEnding } from '@agentkit/core'
import { toErrorInfo } from '@agentkit/core/internal'
import { jsonOrNull, toJSON } from '../util/json.ts'
import type { RunHead } from './rows.ts'
import { readStoredRun } from './run-rows.ts'
import type { Writing } from './store-access.ts'

/** How a run ends, as columns. */
export type EndingColumns = Record<
  'status' | 'finishReason' | 'answer' | 'error' | 'cost' | 'sources' | 'usage',
  string | null
>

export const noResult = { cost: null, sources: null, answer: null, usage: null } as const

export function endingColumns({ status, finishReason, text, error, usage, cost, sources }: RunEnding): EndingColumns {
  return {
    status,
    finishReason,
    answer: text ?? null,
    error: jsonOrNull(error),
    usage: jsonOrNull(usage),
    cost: jsonOrNull(cost),
    sources: jsonOrNull(sources),
  }
}

type Changed = Omit<Writing, 'holder'>
type ChangedRun = Pick<RunHead, 'number' | 'session' | 'attempt' | 'is_background' | 'notifies'>

/** Ends a run, and with it those of its members. */
export function endRun(writing: Changed, runId: string, run: ChangedRun, columns: EndingColumns): void {
  endRow(writing, runId, run, columns)
  if (run.is_background) endMembers(writing, runId)
  afterStop(writing, runId, run)
}

/** What follows when a run has ended or begins to wait. */
export function afterStop(writing: Changed, runId: string, run: ChangedRun): void {
  const { statements, touch } = writing
  if (run.is_background) {
    const parent = statements.freeParent.get(run.number)?.run_id
    if (typeof parent === 'string') touch(parent)
  }
  if (run.notifies) addNotice(writing, runId, run.number)
}

function endRow({ statements, touch, now }: Changed, runId: string, run: EndedRow, columns: EndingColumns): void {
  statements.endRun.run({ ...columns, number: run.number, now })
  // A run that never began changes no conversation.
  if (run.attempt > 0) statements.moveSession.run(now, run.session)
  touch(runId)
}

type EndedRow = Pick<RunHead, 'number' | 'session' | 'attempt'>

function endMembers(writing: Changed, runId: string): void {
  // The rows have the columns that the statement selects.
  const open = writing.statements.openMembers.all(runId) as (EndedRow & { run_id: string })[]
  if (open.length === 0) return
  const error = new AgentKitError('aborted', 'The run that called this member has ended.')
  const columns = { ...noResult, status: 'failed', finishReason: 'aborted', error: toJSON(toErrorInfo(error)) }
  for (const member of open) endRow(writing, member.run_id, member, columns)
}

function addNotice({ statements, now }: Changed, runId: string, number: number): void {
  const record = readStoredRun(statements, runId)?.record
  if (record) statements.addNotice.run(`msg_${crypto.randomUUID()}`, number, record.agentId, now, now, toJSON(record))
}
