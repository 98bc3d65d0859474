import type { RunEnding } from '@agentkit/core'
import { jsonOrNull } from '../util/json.ts'
import type { Writing } from './access.ts'
import { hasOpenMembers } from './run-rows.ts'
import { fromStored, toStored } from './text-form.ts'
import { type Ending, noticeOf } from './write-entry.ts'

/** Ends runs, whichever store has them, with all runs of their members; moves their sessions. Ended ones stay as they are. */
export async function endRuns(writing: Writing, numbers: readonly number[], ending: Ending): Promise<void> {
  if (numbers.length === 0) return
  const { query, now, touch } = writing
  const { status, finishReason, answer, error, usage = null, cost, sources } = ending
  const ended = await query<{ run_id: string; number: number; in_tree: boolean }>(endText, [
    ...[numbers, status, now, finishReason, error, cost, sources, answer, usage],
  ])
  for (const { run_id } of ended) touch(fromStored(run_id))
  for (const { number, in_tree } of ended) if (in_tree) await afterStop(writing, number, { hasEnded: true })
}

/** What follows in a tree when a run of it has ended or waits: its members end with it, and its caller may be free. */
export async function afterStop(writing: Writing, number: number, { hasEnded }: { hasEnded: boolean }): Promise<void> {
  if (hasEnded) await endMembers(writing, number)
  const freed = await writing.query<{ run_id: string }>(freeText, [number])
  for (const { run_id } of freed) writing.touch(fromStored(run_id))
}

/** Ends what is open below a run that has ended. */
async function endMembers(writing: Writing, number: number): Promise<void> {
  const { query } = writing
  const members = await query<{ number: number }>(membersText, [number])
  const error = { code: 'aborted', message: 'The run that called this member has ended.', retryable: false }
  const none = { answer: null, cost: null, sources: null }
  await endRuns(
    writing,
    members.map((member) => member.number),
    {
      ...none,
      status: 'failed',
      finishReason: 'aborted',
      error: JSON.stringify(error),
    },
  )
}

const endText = `WITH run AS (UPDATE agentkit.runs SET status = $2::text, holder = NULL, waiting_since = NULL,
      awaits_members = false, ended_at = $3::bigint, finish_reason = $4::text, error = $5::text, cost = $6::text,
      sources = $7::text, answer = $8::text, usage = coalesce($9::text, usage)
    WHERE number = ANY($1::bigint[]) AND status NOT IN ('done', 'failed')
    RETURNING number, run_id, session, in_tree, agent_id, notifies, attempt, status, finish_reason, error
  ), moved AS (UPDATE agentkit.sessions SET version = version + 1, updated_at = $3::bigint FROM run
    WHERE id = run.session AND run.attempt > 0 -- a run that never began changes no conversation
  ), noticed AS (${noticeOf('run', '$3::bigint')})
  SELECT run_id, number, in_tree FROM run`
/** The outermost run is locked, so the members of a caller stop one after the other. */
const freeText = `UPDATE agentkit.runs AS r SET awaits_members = false
  WHERE run_id = (SELECT parent FROM agentkit.runs WHERE number = $1 AND root IS NOT NULL) AND awaits_members
    AND NOT ${hasOpenMembers} RETURNING run_id`
const membersText = `SELECT number FROM agentkit.runs
  WHERE parent = (SELECT run_id FROM agentkit.runs WHERE number = $1) AND root IS NOT NULL
    AND status NOT IN ('done', 'failed') ORDER BY number`

export function toEnding({ status, finishReason, text, error, usage, cost, sources }: RunEnding): Ending {
  return {
    status,
    finishReason,
    answer: text === undefined ? null : toStored(text),
    error: jsonOrNull(error),
    usage: jsonOrNull(usage),
    cost: jsonOrNull(cost),
    sources: jsonOrNull(sources),
  }
}
