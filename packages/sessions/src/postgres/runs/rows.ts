import type { Message, RunStatus, SessionKey, Turn, Usage } from '@agentkit/core'
import { parseListed, parseStored } from '../../util/json.ts'
import { toISO } from '../../util/to-iso.ts'
import type { Query } from '../database/database.ts'
import type { HeldRow, Holder } from '../database/holder.ts'
import { fromStored, hashOf, toStored } from '../database/text-form.ts'

export type SessionRow = { id: number; version: number; state: string | null }

/** The columns of the run are NULL where none holds the session. */
type HeldSession = SessionRow & Omit<HeldRow, 'run_id'> & { run_id: string | null; is_resumable: boolean }

/** The columns that a change of a run needs. A run without a holder is free or not running. */
export type RunHead = HeldRow & {
  number: number
  session: number
  status: RunStatus
  replaced: boolean
  holds_session: boolean
  takeovers: number
  is_resumable: boolean
  is_background: boolean
  awaits_members: boolean
  in_tree: boolean
  root: number | null
  keeps_events: boolean
  own_seq: number
  message_count: number
  started_at: number | null
  ended_at: number | null
}

export type TurnRow = {
  number: number
  run_id: string
  status: RunStatus
  replaced: boolean
  usage: string | null
  state: string | null
  created_at: number
  bodies: string[]
}

/** SQL: the columns of a head. Postgres stores large columns separately, and they are not read. */
export function headOf({ isAlive }: Holder): string {
  return `SELECT number, run_id, session, status, replaced, holds_session, attempt, takeovers, is_resumable, is_background,
    awaits_members, in_tree, root, keeps_events, own_seq, message_count, started_at, ended_at, holder, ${isAlive} AS is_alive FROM agentkit.runs`
}

/** SQL: the condition of running runs, few among many, by the indexes of both kinds. */
export const isRunning = `number = ANY(ARRAY(SELECT number FROM agentkit.runs WHERE status = 'running' AND holds_session
  UNION ALL SELECT number FROM agentkit.runs WHERE status = 'running' AND NOT holds_session))`

export const isActive = `status = 'running' AND holds_session`

/** The key of a session's row. */
export function keyOf({ agentId, userId, sessionId }: SessionKey): string {
  return hashOf(agentId, userId, sessionId)
}

export function keyColumns({ agentId, userId, sessionId }: SessionKey): [string, string, string] {
  return [toStored(agentId), toStored(userId), toStored(sessionId)]
}

/** The session, with the run that holds it. */
export async function findSession(
  query: Query,
  { isAlive }: Holder,
  key: SessionKey,
): Promise<HeldSession | undefined> {
  const text = `SELECT s.id, s.version, s.state, r.run_id, r.attempt, r.holder, r.is_resumable, ${isAlive} AS is_alive
    FROM agentkit.sessions AS s LEFT JOIN agentkit.runs AS r ON r.session = s.id AND ${isActive} WHERE s.key = $1`
  return (await query<HeldSession>(text, [keyOf(key)]))[0]
}

/** Holds the session until the end of the transaction: before its runs are locked, everywhere. */
export async function lockSession(query: Query, key: SessionKey): Promise<SessionRow | undefined> {
  const text = 'SELECT id, version, state FROM agentkit.sessions WHERE key = $1 FOR NO KEY UPDATE'
  return (await query<SessionRow>(text, [keyOf(key)]))[0]
}

/** The run, locked after the outermost run of its tree and its session. */
export async function lockRun(query: Query, holder: Holder, runId: string): Promise<RunHead | undefined> {
  const id = [toStored(runId)]
  await query(lockRootText, id)
  await query(lockSessionText, id)
  return (await query<RunHead>(`${headOf(holder)} WHERE run_id = $1 FOR NO KEY UPDATE`, id))[0]
}

const lockRootText = `SELECT 1 FROM agentkit.runs
  WHERE number = (SELECT root FROM agentkit.runs WHERE run_id = $1) FOR NO KEY UPDATE`
const lockSessionText = `SELECT 1 FROM agentkit.sessions
  WHERE id = (SELECT session FROM agentkit.runs WHERE run_id = $1) FOR NO KEY UPDATE`

/** SQL: turns with their messages. Runs that have not begun have no turn. */
export const turnColumns = `SELECT number, run_id, status, replaced, usage, state, created_at,
    coalesce((SELECT array_agg(body ORDER BY position) FROM agentkit.messages WHERE run = number), '{}') AS bodies
  FROM agentkit.runs WHERE started_at IS NOT NULL`

export async function readTurn(query: Query, runId: string): Promise<Turn | undefined> {
  const [row] = await query<TurnRow>(`${turnColumns} AND run_id = $1`, [toStored(runId)])
  return row && toTurn(row)
}

export function toTurn(row: TurnRow): Turn {
  const runId = fromStored(row.run_id)
  const turn: Turn = {
    runId,
    messages: row.bodies.map((body) => parseStored<Message>(body, runId, 'messages')),
    status: row.replaced ? 'replaced' : row.status === 'queued' ? 'waiting' : row.status,
    createdAt: toISO(row.created_at),
  }
  const usage = row.usage === null ? undefined : parseListed<Usage>(row.usage, runId, 'usage')
  if (usage) turn.usage = usage
  if (row.state !== null) turn.state = parseStored(row.state, runId, 'state')
  return turn
}
