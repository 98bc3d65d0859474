import { AgentKitError, type RunEnding } from '@agentkit/core'
import { toErrorInfo, treeSpent, withEndEvent } from '@agentkit/core/internal'
import { conflict, sessionHeld, sessionMoved } from '../../util/conflicts.ts'
import type { RunToBegin } from '../../util/run-to-begin.ts'
import type { Access, Writing } from '../database/access.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { addRun, type Begun, tryToAddRun } from './add-run.ts'
import { type EndedRun, endedColumns, endRun } from './end-runs.ts'
import { headOf, isActive, lockSession, type RunHead, readTurn } from './rows.ts'
import { readStoredRun } from './run-rows.ts'

/**
 * Begins a run in its session: most often by one statement, otherwise by a transaction.
 * @throws AgentKitError `session-conflict`, `not-found`
 */
export async function beginRun({ write }: Access, run: RunToBegin<boolean>): Promise<Begun> {
  const isSimple = run.replaces === undefined && !run.mayBeginAgain
  if (isSimple && (await write((writing) => tryToAddRun(writing, run), { isSingle: true }))) {
    return { attempt: 1, count: run.bodies.length }
  }
  // The refusal is returned by the transaction, as throwing it there would roll back the settlement of a lost run.
  const outcome = await write((writing) => begin(writing, run))
  if (outcome instanceof AgentKitError) throw outcome
  return outcome
}

async function begin(writing: Writing, run: RunToBegin<boolean>): Promise<Begun | AgentKitError> {
  const { query, holder, now, touch } = writing
  const { key, runId, replaces } = run
  const session = await lockSession(query, key)
  const ids = [toStored(runId), ...(replaces === undefined ? [] : [toStored(replaces)])]
  const heads = await query<RunHead>(`${headOf(holder)} WHERE (session = $1 AND ${isActive}) OR run_id = ANY($2)`, [
    session?.id ?? null,
    ids,
  ])
  const used = heads.find(({ run_id }) => run_id === ids[0])
  const isOwn = used?.holder === holder.id && used.status === 'running' && used.session === session?.id
  // An earlier try, whose answer was lost, has begun the run.
  if (used && isOwn && !holder.held(runId)) return { attempt: used.attempt, count: used.message_count }

  let active = heads.find((head) => head.session === session?.id && head.status === 'running' && head.holds_session)
  const settled = active !== undefined && (await settleLostRun(writing, active))
  if (settled) active = undefined
  if ((session?.version ?? 0) + (settled ? 1 : 0) !== run.expectedVersion) return sessionMoved()

  const from = replaces === undefined ? undefined : heads.find(({ run_id }) => run_id === ids[1])
  const isOfSession = from && from.session === session?.id && !from.replaced
  if (replaces !== undefined && !isOfSession) {
    return new AgentKitError('not-found', `There is no run ${replaces} in this session.`)
  }
  if (active && !(from && active.number >= from.number)) return sessionHeld()
  const isSuspended = used && used.session === session?.id && used.status === 'waiting' && !used.replaced
  if (used && !(run.mayBeginAgain && isSuspended)) return conflict(`There is a run ${runId} already.`)

  if (from && session) await replaceRuns(writing, session.id, from.number)
  touch(runId)
  if (used) {
    const values = [now, used.session, holder.id, used.number]
    await query(beginAgainText, values)
    return { attempt: used.attempt + 1, count: used.message_count }
  }
  const isAdded = await addRun(writing, run, session !== undefined)
  // If it is not added, another process has begun the session since it was read.
  return isAdded ? { attempt: 1, count: run.bodies.length } : sessionMoved()
}

const beginAgainText = `WITH moved AS (UPDATE agentkit.sessions SET version = version + 1, updated_at = $1 WHERE id = $2)
  UPDATE agentkit.runs SET status = 'running', holder = $3, holds_session = true, attempt = attempt + 1,
    waiting_since = NULL, has_events = keeps_events WHERE number = $4`

/**
 * Settles the run that holds a session as failed if its store is dead and nothing will resume it.
 * @returns whether it did, which moves the version
 */
export async function settleLostRun(writing: Writing, active: RunHead): Promise<boolean> {
  if (!writing.holder.isLost(active) || active.is_resumable) return false
  const error = new AgentKitError('crashed', 'The process of the run ended before the run did.')
  await failRuns(writing, [active], 'error', error)
  return true
}

/** Hides runs and the turns of their members. The state of the session becomes what it was before them. */
export async function replaceRuns(writing: Writing, session: number, from: number): Promise<void> {
  const { query, now, touch } = writing
  const open = await query<EndedRun>(
    `SELECT ${endedColumns} FROM agentkit.runs
      WHERE session = $1 AND number >= $2 AND NOT replaced AND status NOT IN ('done', 'failed') FOR NO KEY UPDATE`,
    [session, from],
  )
  const error = new AgentKitError('aborted', 'A later run of the session replaces this one.')
  await failRuns(writing, open, 'aborted', error)
  const replaced = await query<{ run_id: string }>(replaceText, [session, from])
  for (const { run_id } of replaced) touch(fromStored(run_id))
  await query(replaceMembersText, [replaced.map(({ run_id }) => run_id), now])
  await query(restoreText, [session])
}

/**
 * Only ended runs are replaced: all earlier runs have ended, and a run that was enqueued since, without a lock on the
 * session, is a later run.
 */
const replaceText = `UPDATE agentkit.runs SET replaced = true
  WHERE session = $1 AND number >= $2 AND NOT replaced AND status IN ('done', 'failed') RETURNING run_id`
// The ids of members begin with the id of the run and a slash. In ASCII, `0` is the next character after `/`. `OFFSET 0`
// lets Postgres look for the members of each run by the index of ids, instead of comparing all runs.
const replaceMembersText = `WITH members AS (UPDATE agentkit.runs SET replaced = true WHERE number IN (
      SELECT m.number FROM unnest($1::text[]) AS r (run_id) CROSS JOIN LATERAL (
        SELECT number FROM agentkit.runs WHERE run_id >= r.run_id || '/' AND run_id < r.run_id || '0' OFFSET 0) AS m)
    RETURNING session)
  UPDATE agentkit.sessions SET version = version + 1, updated_at = $2 FROM members WHERE id = members.session`
const restoreText = `UPDATE agentkit.sessions AS s SET
    state = (SELECT state FROM agentkit.runs
      WHERE session = s.id AND NOT replaced AND state IS NOT NULL ORDER BY number DESC LIMIT 1),
    question = CASE WHEN EXISTS (SELECT 1 FROM agentkit.runs WHERE session = s.id AND NOT replaced) THEN question END
  WHERE id = $1`

/** Ends runs that their own processes do not end, each with its last event, and with what its members have used. */
export async function failRuns(
  writing: Writing,
  runs: readonly EndedRun[],
  finishReason: 'error' | 'aborted',
  error: AgentKitError,
): Promise<void> {
  const failed: RunEnding = { status: 'failed', finishReason, error: toErrorInfo(error) }
  for (const run of runs) {
    // A damaged run ends without an event; a failure of the database occurs again below.
    const stored = await readStoredRun(writing.query, fromStored(run.run_id)).catch(() => undefined)
    const spent = stored?.isBackground ? await treeSpent(treeIn(writing), stored) : {}
    await endRun(writing, run, stored ? withEndEvent(stored, { ...failed, ...spent }) : failed)
    if (stored?.record.status === 'queued') writing.unqueue(fromStored(run.run_id))
  }
}

/** A damaged run of a tree counts as one that is not there; a failure of the database occurs again. */
function treeIn({ query }: Writing): Parameters<typeof treeSpent>[0] {
  return {
    find: (runId) => readTurn(query, runId).catch(() => undefined),
    runs: { read: (runId) => readStoredRun(query, runId).catch(() => undefined) },
  }
}
