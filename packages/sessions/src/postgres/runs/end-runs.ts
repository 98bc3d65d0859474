import type { AgentEvent, RunEnding } from '@agentkit/core'
import { endWithCaller } from '@agentkit/core/internal'
import type { Writing } from '../database/access.ts'
import { fromStored } from '../database/text-form.ts'
import type { RunHead } from './rows.ts'
import { hasOpenMembers, readStoredRun } from './run-rows.ts'
import { addLastEvents } from './stored-events.ts'
import { noticeOf, toEnding } from './write-entry.ts'

/** A run that its own process does not end. */
export type EndedRun = Pick<RunHead, 'number' | 'run_id' | 'root' | 'keeps_events'>

/** SQL: what `endRun` needs of a run. */
export const endedColumns = 'number, run_id, root, keeps_events'

/** Ends a run of any store, its member runs first, and moves the version of its session. */
export async function endRun(
  writing: Writing,
  run: EndedRun,
  ending: RunEnding & { events?: readonly AgentEvent[] },
): Promise<void> {
  const { query, now, touch } = writing
  await endMembers(writing, run.number, ending)
  await addLastEvents(writing, run, ending.events ?? [])
  const { status, finishReason, answer, error, usage = null, cost, sources } = toEnding(ending)
  const [ended] = await query<{ in_tree: boolean }>(endText, [
    ...[run.number, status, now, finishReason, error, cost, sources, answer, usage],
  ])
  touch(fromStored(run.run_id))
  if (ended?.in_tree) await afterStop(writing, run.number)
}

/** Updates a tree of runs after one of them has ended or was suspended: the caller of that run may be free. */
export async function afterStop(writing: Writing, number: number): Promise<void> {
  const freed = await writing.query<{ run_id: string }>(freeText, [number])
  for (const { run_id } of freed) writing.touch(fromStored(run_id))
}

/** Ends the open member runs below a run that ends. */
export async function endMembers(writing: Writing, number: number, caller: RunEnding): Promise<void> {
  for (const member of await writing.query<EndedRun>(membersText, [number])) {
    // A damaged run ends without an event; a failure of the database occurs again below.
    const stored = await readStoredRun(writing.query, fromStored(member.run_id)).catch(() => undefined)
    await endRun(writing, member, endWithCaller(caller, stored))
  }
}

const endText = `WITH run AS (UPDATE agentkit.runs SET status = $2::text, holder = NULL, waiting_since = NULL,
      awaits_members = false, ended_at = $3::bigint, finish_reason = $4::text, error = $5::text, cost = $6::text,
      sources = $7::text, answer = $8::text, usage = coalesce($9::text, usage)
    WHERE number = $1::bigint AND status NOT IN ('done', 'failed')
    RETURNING number, run_id, session, in_tree, agent_id, notifies, attempt, status, finish_reason, error
  ), moved AS (UPDATE agentkit.sessions SET version = version + 1, updated_at = $3::bigint FROM run
    WHERE id = run.session AND run.attempt > 0 -- a run that never began changes no conversation
  ), noticed AS (${noticeOf('$3::bigint')})
  SELECT in_tree FROM run`
/** The outermost run is locked, so the members of a caller stop one after the other. */
const freeText = `UPDATE agentkit.runs AS r SET awaits_members = false
  WHERE run_id = (SELECT parent FROM agentkit.runs WHERE number = $1 AND root IS NOT NULL) AND awaits_members
    AND NOT ${hasOpenMembers} RETURNING run_id`
const membersText = `SELECT ${endedColumns} FROM agentkit.runs
  WHERE parent = (SELECT run_id FROM agentkit.runs WHERE number = $1) AND root IS NOT NULL
    AND status NOT IN ('done', 'failed') ORDER BY number`
