import { AgentKitError, type Message, type SessionKey } from '@agentkit/core'
import { cutTitle, plainText, toErrorInfo } from '@agentkit/core/internal'
import { conflict, sessionHeld, sessionMoved } from '../util/conflicts.ts'
import { toJSON } from '../util/json.ts'
import type { Writing } from './access.ts'
import { endRuns } from './end-runs.ts'
import { headOf, isActive, keyColumns, keyOf, lockSession, type RunHead } from './rows.ts'
import { fromStored, toStored } from './text-form.ts'

export type RunToBegin = {
  key: SessionKey
  runId: string
  expectedVersion: number
  input: readonly Message[]
  bodies: readonly string[]
  replaces?: string | undefined
  /** Whether a suspended run with this id begins again. */
  mayBeginAgain: boolean
  columns: RunColumns
}

/** What `create` stores of a run and `begin` does not know. */
export type RunColumns = {
  agentId: string
  isResumable: boolean
  keepsEvents: boolean
  notifies: boolean
  deadline: number | null
  agentVersion: string | null
  options: string | null
  progress: string | null
}

export type Begun = { attempt: number; count: number }

/**
 * Begins a run in its session.
 * @returns the refusal, because throwing it would roll back the settlement of a lost run
 */
export async function beginRun(writing: Writing, run: RunToBegin): Promise<Begun | AgentKitError> {
  const { query, holder, now, again, touch } = writing
  const { key, runId, bodies, replaces } = run
  const session = await lockSession(query, key)
  const ids = [toStored(runId), ...(replaces === undefined ? [] : [toStored(replaces)])]
  const heads = await query<RunHead>(`${headOf(holder)} WHERE (session = $1 AND ${isActive}) OR run_id = ANY($2)`, [
    session?.id ?? null,
    ids,
  ])
  const used = heads.find(({ run_id }) => run_id === ids[0])
  const isOwn = used?.holder === holder.id && used.status === 'running' && used.session === session?.id
  if (again && used && isOwn && !holder.held(runId)) return { attempt: used.attempt, count: used.message_count }

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
  const question = run.input.find(({ role }) => role === 'user')
  const title = question ? toStored(cutTitle(plainText(question))) : null
  const added = await query(session ? addText : addWithSessionText, [
    ...[now, title, ...(session ? [session.id] : [keyOf(key), ...keyColumns(key)])],
    ...columnsOf(writing, run),
    bodies,
  ])
  // Another process has begun the session meanwhile.
  return added.length === 0 ? sessionMoved() : { attempt: 1, count: bodies.length }
}

function columnsOf({ holder }: Writing, { key, runId, bodies, columns }: RunToBegin): unknown[] {
  const { agentId, isResumable, keepsEvents, notifies, deadline, agentVersion, options, progress } = columns
  return [
    ...[
      toStored(runId),
      toStored(agentId),
      toStored(key.userId),
      holder.id,
      isResumable,
      keepsEvents,
      notifies,
      deadline,
    ],
    ...[agentVersion === null ? null : toStored(agentVersion), options, progress, bodies.length],
  ]
}

/** Adds a run with its messages; `session` is SQL that returns the id of its session, `first` the number of its first column. */
function addRun(session: string, first: number): string {
  const columns = Array.from({ length: 12 }, (_, index) => `$${first + index}`)
  const types = ['text', 'text', 'text', 'text', 'bool', 'bool', 'bool', 'bigint', 'text', 'text', 'text', 'int']
  const values = columns.map((column, index) => `${column}::${types[index]}`).join(', ')
  return `WITH s AS (${session}), run AS (
      INSERT INTO agentkit.runs (session, status, created_at, started_at, has_events, run_id, agent_id, user_id, holder,
        is_resumable, keeps_events, notifies, deadline, agent_version, options, progress, message_count)
      SELECT s.id, 'running', $1::bigint, $1::bigint, ${columns[5]}::bool, ${values} FROM s RETURNING number
    ), added AS (
      INSERT INTO agentkit.messages (run, position, body)
      SELECT number, place::int - 1, body FROM run, unnest($${first + 12}::text[]) WITH ORDINALITY AS m (body, place)
    ) SELECT number FROM run`
}

const addText = addRun(
  `UPDATE agentkit.sessions SET version = version + 1, updated_at = $1::bigint, question = coalesce(question, $2::text)
    WHERE id = $3::bigint RETURNING id`,
  4,
)
const addWithSessionText = addRun(
  `INSERT INTO agentkit.sessions (created_at, updated_at, version, question, key, agent_id, user_id, session_id)
    VALUES ($1::bigint, $1::bigint, 1, $2::text, $3::text, $4::text, $5::text, $6::text)
    ON CONFLICT DO NOTHING RETURNING id`,
  7,
)
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
  await endRuns(writing, [active.number], failure('error', error))
  return true
}

/** Hides runs and the turns of their members. The state of the session becomes what it was before them. */
export async function replaceRuns(writing: Writing, session: number, from: number): Promise<void> {
  const { query, now, touch } = writing
  const open = await query<{ number: number }>(
    `SELECT number FROM agentkit.runs
      WHERE session = $1 AND number >= $2 AND NOT replaced AND status NOT IN ('done', 'failed') FOR NO KEY UPDATE`,
    [session, from],
  )
  const error = new AgentKitError('aborted', 'A later run of the session replaces this one.')
  await endRuns(
    writing,
    open.map(({ number }) => number),
    failure('aborted', error),
  )
  const replaced = await query<{ run_id: string }>(
    'UPDATE agentkit.runs SET replaced = true WHERE session = $1 AND number >= $2 AND NOT replaced RETURNING run_id',
    [session, from],
  )
  for (const { run_id } of replaced) {
    touch(fromStored(run_id))
    // The ids of members begin with that of the run and a slash; a zero follows the slash.
    await query(replaceMembersText, [`${run_id}/`, `${run_id}0`, now])
  }
  await query(restoreText, [session])
}

const replaceMembersText = `WITH members AS (UPDATE agentkit.runs SET replaced = true
    WHERE run_id >= $1 AND run_id < $2 RETURNING session)
  UPDATE agentkit.sessions SET version = version + 1, updated_at = $3 FROM members WHERE id = members.session`
const restoreText = `UPDATE agentkit.sessions AS s SET
    state = (SELECT state FROM agentkit.runs
      WHERE session = s.id AND NOT replaced AND state IS NOT NULL ORDER BY number DESC LIMIT 1),
    question = CASE WHEN EXISTS (SELECT 1 FROM agentkit.runs WHERE session = s.id AND NOT replaced) THEN question END
  WHERE id = $1`

/** The end of a run that its own process does not end. */
export function failure(finishReason: string, error: AgentKitError): Parameters<typeof endRuns>[2] {
  const none = { answer: null, cost: null, sources: null }
  return { ...none, status: 'failed', finishReason, error: toJSON(toErrorInfo(error)) }
}
