import type { Message, RunStatus, Session, SessionKey, Turn, TurnStatus, Usage } from '@agentkit/core'
import { parseListed, parseState, parseStored } from '../../util/json.ts'
import { toISO } from '../../util/to-iso.ts'
import type { HolderRow } from '../database/holders.ts'
import type { Statements } from '../statements/statements.ts'

export type SessionRow = { id: number; version: number; state: string | null; is_untitled: number }
export type TurnRow = {
  number: number
  run_id: string
  status: RunStatus
  replaced: number
  usage: string | null
  state: string | null
  created_at: number
}
/** The columns that a change of a run needs. A run without a holder is free or not running. */
export type RunHead = HolderRow & {
  number: number
  run_id: string
  session: number
  status: RunStatus
  replaced: number
  holds_session: number
  attempt: number
  takeovers: number
  is_resumable: number
  keeps_events: number
  is_background: number
  awaits_members: number
  notifies: number
}

/** The columns that a write needs: fewer than a head has, because each step writes. */
export type WrittenRun = Pick<
  RunHead,
  'number' | 'session' | 'status' | 'attempt' | 'takeovers' | 'keeps_events' | 'holder' | 'is_background' | 'notifies'
> & {
  /** The position of the run's last message. */
  last_position: number | null
}

// The casts below hold: the rows have the shapes that the statements select and the migrations declare.

export function findSession(statements: Statements, key: SessionKey): SessionRow | undefined {
  return statements.session.get(...keyValues(key)) as SessionRow | undefined
}

export function findRun(statements: Statements, runId: string): RunHead | undefined {
  return statements.run.get(runId) as RunHead | undefined
}

/** The run that holds the session. */
export function findActive(statements: Statements, session: number): RunHead | undefined {
  return statements.activeRun.get(session) as RunHead | undefined
}

export function addSession(statements: Statements, key: SessionKey, now: number, question: string | null): number {
  return statements.addSession.get(...keyValues(key), now, now, question)?.id as number
}

export function toSession(row: SessionRow, messages: Message[]): Session {
  const session: Session = { version: row.version, messages }
  if (row.state !== null) session.state = parseState(row.state)
  return session
}

/** A run that is tried again has a turn; it waits. */
export function turnStatus(status: RunStatus): TurnStatus {
  return status === 'queued' ? 'waiting' : status
}

/** The run's id is read for an error only. */
export function parseMessage(statements: Statements, number: number, body: string): Message {
  try {
    return JSON.parse(body)
  } catch {
    return parseStored(body, String(statements.idOfRun.get(number)?.run_id), 'messages')
  }
}

export function readTurn(statements: Statements, row: TurnRow): Turn {
  const bodies = statements.messagesOfRun.all(row.number) as { body: string }[]
  const turn: Turn = {
    runId: row.run_id,
    messages: bodies.map(({ body }) => parseStored<Message>(body, row.run_id, 'messages')),
    status: row.replaced ? 'replaced' : turnStatus(row.status),
    createdAt: toISO(row.created_at),
  }
  const usage = row.usage === null ? undefined : parseListed<Usage>(row.usage, row.run_id, 'usage')
  if (usage) turn.usage = usage
  if (row.state !== null) turn.state = parseStored(row.state, row.run_id, 'state')
  return turn
}

export function keyValues({ agentId, userId, sessionId }: SessionKey): [string, string, string] {
  return [agentId, userId, sessionId]
}
