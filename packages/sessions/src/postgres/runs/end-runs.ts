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
  await endMembers(writing, run.number, ending)
  await addLastEvents(writing, run, ending.events ?? [])
  if (await endRows(writing, [run], ending)) await afterStop(writing, run.number)
}

/** @returns whether one of them is in a tree */
async function endRows({ query, now, touch }: Writing, runs: readonly EndedRun[], ending: RunEnding): Promise<boolean> {
  const { status, finishReason, answer, error, usage = null, cost, sources } = toEnding(ending)
  const ended = await query<{ in_tree: boolean }>(endText, [
    ...[runs.map(({ number }) => number), status, now, finishReason, error, cost, sources, answer, usage],
  ])
  for (const { run_id } of runs) touch(fromStored(run_id))
  return ended.some(({ in_tree }) => in_tree)
}

/** Updates a tree of runs after one of them has ended or was suspended: the caller of that run may be free. */
export async function afterStop(writing: Writing, number: number): Promise<void> {
  const freed = await writing.query<{ run_id: string }>(freeText, [number])
  for (const { run_id } of freed) writing.touch(fromStored(run_id))
}

/** Ends the open member runs below a run that ends. Each of their callers ends too, so none of these is free. */
export async function endMembers(writing: Writing, number: number, caller: RunEnding): Promise<void> {
  const members = await writing.query<EndedRun & { is_running: boolean }>(membersText, [number])
  for (const member of members.filter(({ is_running }) => is_running)) {
    // A damaged run ends without an event; a failure of the database occurs again below.
    const stored = await readStoredRun(writing.query, fromStored(member.run_id)).catch(() => undefined)
    const ending = endWithCaller(caller, stored)
    await addLastEvents(writing, member, ending.events ?? [])
    await endRows(writing, [member], ending)
  }
  // One that is queued or waits has no last event to emit. There may be many.
  const others = members.filter(({ is_running }) => !is_running)
  if (others.length > 0) await endRows(writing, others, endWithCaller(caller, undefined))
}

const endText = `WITH run AS (UPDATE agentkit.runs SET status = $2::text, holder = NULL, waiting_since = NULL,
      awaits_members = false, ended_at = $3::bigint, finish_reason = $4::text, error = $5::text, cost = $6::text,
      sources = $7::text, answer = $8::text, usage = coalesce($9::text, usage)
    WHERE number = ANY($1::bigint[]) AND status NOT IN ('done', 'failed')
    RETURNING number, run_id, session, in_tree, agent_id, notifies, attempt, status, finish_reason, error
  ), moved AS (UPDATE agentkit.sessions SET version = version + 1, updated_at = $3::bigint FROM run
    WHERE id = run.session AND run.attempt > 0 -- a run that never began changes no conversation
  ), noticed AS (${noticeOf('$3::bigint')})
  SELECT in_tree FROM run`
/** The outermost run is locked, so the members of a caller stop one after the other. */
const freeText = `UPDATE agentkit.runs AS r SET awaits_members = false
  WHERE run_id = (SELECT parent FROM agentkit.runs WHERE number = $1 AND root IS NOT NULL) AND awaits_members
    AND NOT ${hasOpenMembers} RETURNING run_id`
/** The innermost first. `OFFSET 0` lets Postgres find the members of each run by the index of parents, independent of its statistics. */
const openMembers = (parent: string): string => `(SELECT ${endedColumns}, status FROM agentkit.runs
    WHERE parent = ${parent} AND root IS NOT NULL AND status NOT IN ('done', 'failed') OFFSET 0)`
const membersText = `WITH RECURSIVE members AS (
    SELECT * FROM ${openMembers('(SELECT run_id FROM agentkit.runs WHERE number = $1)')} AS own
    UNION ALL SELECT below.* FROM members AS m CROSS JOIN LATERAL ${openMembers('m.run_id')} AS below)
  SELECT ${endedColumns}, status = 'running' AS is_running FROM members ORDER BY number DESC`
