import {
  type Message,
  type Session,
  type SessionKey,
  type Turn,
  type TurnStatus,
  visibleMessages,
} from '@agentkit/core'
import type { HolderRow } from './holders.ts'
import type { Statements } from './statements.ts'

export type SessionRow = { id: number; version: number; state: string | null }
export type RunRow = {
  number: number
  run_id: string
  status: TurnStatus
  usage: string | null
  state: string | null
  created_at: number
}

// The rows have the shapes that `statements.ts` selects and `migrations.ts` declares; hence the casts below.

export function findSession(statements: Statements, key: SessionKey): SessionRow | undefined {
  return statements.session.get(...keyValues(key)) as SessionRow | undefined
}

export function findRun(statements: Statements, runId: string): RunRow | undefined {
  return statements.run.get(runId) as RunRow | undefined
}

export function findRunning(statements: Statements, session: SessionRow): HolderRow | undefined {
  return statements.runningRun.get(session.id) as HolderRow | undefined
}

export function addSession(statements: Statements, key: SessionKey, now: number): number {
  return statements.addSession.get(...keyValues(key), now, now)?.id as number
}

export function readSession(statements: Statements, row: SessionRow): Session {
  const session: Session = { version: row.version, messages: readVisible(statements, row) }
  if (row.state !== null) session.state = JSON.parse(row.state)
  return session
}

/** All turns of a session by one statement, each reduced to what the model may see. */
function readVisible(statements: Statements, session: SessionRow): Message[] {
  const visible: Message[] = []
  let number: number | undefined
  let status: TurnStatus = 'done'
  let messages: Message[] = []
  const finishTurn = (): void => {
    for (const message of visibleMessages({ runId: '', createdAt: '', status, messages })) visible.push(message)
    messages = []
  }
  const rows = statements.messagesOfSession.all(session.id) as unknown as [number, TurnStatus, string][]
  for (const [run, runStatus, body] of rows) {
    if (run !== number) finishTurn()
    number = run
    status = runStatus
    messages.push(JSON.parse(body))
  }
  finishTurn()
  return visible
}

export function readTurn(statements: Statements, row: RunRow): Turn {
  const bodies = statements.messagesOfRun.all(row.number) as { body: string }[]
  const turn: Turn = {
    runId: row.run_id,
    messages: bodies.map(({ body }): Message => JSON.parse(body)),
    status: row.status,
    createdAt: toISO(row.created_at),
  }
  if (row.usage !== null) turn.usage = JSON.parse(row.usage)
  if (row.state !== null) turn.state = JSON.parse(row.state)
  return turn
}

export function keyValues({ agentId, userId, sessionId }: SessionKey): [string, string, string] {
  return [agentId, userId, sessionId]
}

export function toISO(time: number): string {
  return new Date(time).toISOString()
}
