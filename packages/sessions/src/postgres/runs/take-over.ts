import { AgentKitError, type RunBeginning, type StoredRun } from '@agentkit/core'
import { conflict, hasEnded, sessionHeld, sessionMoved, unknownRun } from '../../util/conflicts.ts'
import { jsonOrNull, toJSON } from '../../util/json.ts'
import type { Access, Writing } from '../database/access.ts'
import { beginQueued } from './begin-queued.ts'
import { settleLostRun } from './begin-run.ts'
import { headOf, isActive, lockRun, type RunHead } from './rows.ts'
import { readStoredRun } from './run-rows.ts'

type TakeOver = { expectedVersion: number; begin?: RunBeginning }
type Taken = { stored: StoredRun; count: number }

/**
 * Takes a run over for this store: most often one that begins, by one statement, otherwise by a transaction.
 * @returns the run and its number of messages
 * @throws AgentKitError `session-conflict`, `not-found`
 */
export async function takeOver({ write }: Access, runId: string, options: TakeOver): Promise<Taken> {
  const { begin } = options
  let isAgain = false
  const tryToBegin = (beginning: RunBeginning) => (writing: Writing) => {
    isAgain = writing.again
    return beginQueued(writing, runId, { ...options, begin: beginning })
  }
  const begun = begin && (await write(tryToBegin(begin), { isSingle: true }))
  if (begun) return begun
  // A try whose answer was lost may have begun it.
  const outcome = await write((writing) =>
    tryToTakeOver({ ...writing, again: writing.again || isAgain }, runId, options),
  )
  if (outcome instanceof AgentKitError) throw outcome
  return outcome
}

/** @returns the refusal, too: throwing it would roll back the settlement of a lost run */
async function tryToTakeOver(
  writing: Writing,
  runId: string,
  { expectedVersion, begin }: TakeOver,
): Promise<Taken | AgentKitError> {
  const { query, holder, again, touch } = writing
  const run = await lockRun(query, holder, runId)
  if (!run) return unknownRun(runId)
  const isRunning = run.status === 'running' && run.holder !== null
  // The answer of an earlier try was lost: this store has the run.
  const isTaken = again && isRunning && run.holder === holder.id && !holder.held(runId)
  let count = run.message_count
  if (!isTaken) {
    const refusal = await refusalToTakeOver(writing, run)
    if (refusal) return refusal
    if (isRunning && !holder.isLost(run)) return conflict(`The run ${runId} is running already.`)
    if (!(run.status === 'running' && run.holds_session)) {
      const refused = await acquireSession(writing, run, expectedVersion)
      if (refused) return refused
    }
    // A run that has stored nothing begins, also after a crash.
    const isFirst = run.started_at === null
    const number = isFirst ? await renumber(writing, run) : run.number
    count += await take(writing, { ...run, number }, isRunning, begin)
    touch(runId)
  }
  // The cast holds: the run was found above, within this transaction.
  return { stored: (await readStoredRun(query, runId)) as StoredRun, count }
}

async function refusalToTakeOver({ query }: Writing, run: RunHead): Promise<AgentKitError | undefined> {
  const { run_id, number, status, replaced } = run
  switch (status) {
    case 'done':
    case 'failed':
      return hasEnded(run_id)
    case 'queued':
      return replaced ? conflict(`The run ${run_id} was replaced.`) : undefined
    case 'waiting': {
      const decided = await query(
        `SELECT 1 FROM agentkit.approvals AS a JOIN agentkit.runs AS r ON r.number = a.run
          WHERE a.run = $1 AND decision IS NOT NULL AND a.attempt = r.attempt LIMIT 1`,
        [number],
      )
      return decided.length > 0 ? undefined : conflict(`The run ${run_id} waits for a decision.`)
    }
    case 'running':
      return run.awaits_members ? conflict(`The run ${run_id} waits for its members.`) : undefined
  }
}

/** The session for a run that does not hold it. @returns the refusal */
async function acquireSession(
  writing: Writing,
  run: RunHead,
  expectedVersion: number,
): Promise<AgentKitError | undefined> {
  const { query, holder, now } = writing
  const [active] = await query<RunHead>(`${headOf(holder)} WHERE session = $1 AND ${isActive}`, [run.session])
  if (active && !(await settleLostRun(writing, active))) return sessionHeld()
  if (run.status === 'queued') {
    const [earlier] = await query(earlierText, [run.session, run.number, now])
    if (earlier) return conflict(`An earlier run of the session comes before ${run.run_id}.`, true)
  }
  const moved = await query(
    'UPDATE agentkit.sessions SET version = version + 1, updated_at = $1 WHERE id = $2 AND version = $3 RETURNING 1',
    [now, run.session, expectedVersion],
  )
  return moved.length === 0 ? sessionMoved() : undefined
}

/**
 * The runs that a queued run waits for, beside the run that holds its session: direct runs, decided runs, and runs that
 * were queued before it.
 */
const earlierText = `SELECT 1 FROM agentkit.sessions WHERE id = $1 AND direct_until > $3
  UNION ALL SELECT 1 FROM agentkit.runs AS own WHERE number = $2 AND EXISTS (SELECT 1 FROM agentkit.runs AS other WHERE other.session = $1 AND other.number <> own.number AND (
    (other.status = 'running' AND NOT other.holds_session)
    OR (other.status = 'queued' AND (other.ready_at, other.number) < (own.ready_at, own.number))))`

/** A run that begins takes its place after all turns that are there. It has no messages, but an event if it was cancelled. */
async function renumber({ query }: Writing, { number }: RunHead): Promise<number> {
  const [row] = await query<{ number: number }>(renumberText, [number])
  return row?.number ?? number
}

const renumberText = `WITH run AS (UPDATE agentkit.runs
      SET listed = coalesce(listed, number), number = nextval(pg_get_serial_sequence('agentkit.runs', 'number')) WHERE number = $1 RETURNING number
  ), moved AS (UPDATE agentkit.events AS e SET run = run.number FROM run WHERE e.run = $1)
  SELECT number FROM run`

/** @returns how many messages it has added */
async function take(writing: Writing, run: RunHead, isLost: boolean, begin: RunBeginning | undefined): Promise<number> {
  const { query, holder, now } = writing
  const first = run.message_count === 0 ? (begin?.messages ?? []) : []
  await query(takeText, [
    ...[run.number, holder.id, isLost ? 1 : 0, now, first.length],
    ...[begin?.deadline ?? null, jsonOrNull(begin?.options), first.map(toJSON), begin?.notifies ?? false],
  ])
  return first.length
}

const takeText = `WITH run AS (UPDATE agentkit.runs SET status = 'running', holder = $2, holds_session = true,
      attempt = attempt + 1, takeovers = takeovers + $3, waiting_since = NULL, has_events = keeps_events,
      awaits_members = false, started_at = coalesce(started_at, $4::bigint), message_count = message_count + $5,
      deadline = coalesce($6::bigint, deadline), options = coalesce($7::text, options), notifies = notifies OR $9::boolean
    WHERE number = $1 RETURNING number)
  INSERT INTO agentkit.messages (run, position, body)
    SELECT number, place::int - 1, body FROM run, unnest($8::text[]) WITH ORDINALITY AS m (body, place)`
