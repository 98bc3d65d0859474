import type { Message, SessionInfo } from '@agentkit/core'
import { foldCase, plainText } from '@agentkit/core/internal'
import { parseListed } from '../../util/json.ts'
import { toISO } from '../../util/to-iso.ts'
import type { Access } from '../database/access.ts'
import type { Query } from '../database/database.ts'
import type { HeldRow, Holder } from '../database/holder.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { keyOf } from '../runs/rows.ts'

type Owner = { agentId: string; userId: string }
/** Where the next page begins: after a session with this time and this id. */
type Place = { updated_at: number; id: number }
type InfoRow = Place &
  Partial<HeldRow> & {
    session_id: string
    title: string
    created_at: number
    turns: number
    is_resumable: boolean | null
  }

/** The sessions, and the messages of one, that a search reads at once. */
const pageSize = 100
/** The sessions whose newest messages a search reads by one statement, and the messages of each. */
const together = { sessions: 10, messages: 20 }

/** A user's sessions, most recently used first; with `q` those that contain it. */
export async function listSessions(
  { database: { query }, holder }: Access,
  owner: Owner,
  { q = '', limit = Number.MAX_SAFE_INTEGER, before }: { q?: string; limit?: number; before?: string } = {},
): Promise<SessionInfo[]> {
  let place = await placeOf(query, owner, before)
  const found: SessionInfo[] = []
  const wanted = foldCase(q)
  while (place && found.length < limit) {
    const count = wanted === '' ? limit - found.length : pageSize
    const rows: InfoRow[] = await query<InfoRow>(listText(holder), [
      ...[toStored(owner.agentId), toStored(owner.userId), place.updated_at, place.id],
      Math.min(count, pageSize),
    ])
    for (let index = 0; index < rows.length && found.length < limit; index += together.sessions) {
      const some = rows.slice(index, index + together.sessions)
      const newest = await newestOf(query, some, wanted)
      for (const row of some) {
        if (found.length >= limit) break
        if (await contains(query, row, wanted, newest.get(row.id))) found.push(toInfo(row, holder))
      }
    }
    place = rows.length < Math.min(count, pageSize) ? undefined : rows.at(-1)
  }
  return found
}

async function placeOf(query: Query, owner: Owner, before: string | undefined): Promise<Place | undefined> {
  const largest = Number.MAX_SAFE_INTEGER
  if (before === undefined) return { updated_at: largest, id: largest }
  const text = 'SELECT updated_at, id FROM agentkit.sessions WHERE key = $1'
  return (await query<Place>(text, [keyOf({ ...owner, sessionId: before })]))[0]
}

function listText({ isAlive }: Holder): string {
  return `SELECT s.id, s.session_id, coalesce(s.title, s.question, '') AS title, s.created_at, s.updated_at,
      (SELECT count(*) FROM agentkit.runs WHERE session = s.id AND NOT replaced AND started_at IS NOT NULL) AS turns,
      a.run_id, a.attempt, a.is_resumable, a.holder, a.is_alive
    FROM agentkit.sessions AS s LEFT JOIN LATERAL (
      SELECT run_id, attempt, is_resumable, holder, ${isAlive} AS is_alive FROM agentkit.runs
      WHERE session = s.id AND status = 'running' AND holds_session) AS a ON true
    WHERE s.agent_id = $1 AND s.user_id = $2 AND (s.updated_at, s.id) < ($3, $4)
    ORDER BY s.updated_at DESC, s.id DESC LIMIT $5`
}

/** The newest messages of sessions whose title does not contain the text. */
async function newestOf(query: Query, rows: readonly InfoRow[], wanted: string): Promise<Map<number, MessageRow[]>> {
  const ids = rows.filter((row) => !hasInTitle(row, wanted)).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  return Map.groupBy(await query<NewestRow>(newestText, [ids, together.messages]), ({ session }) => session)
}

/** Whether the title or a message of user and assistant contains the text, which is folded. */
async function contains(
  query: Query,
  row: InfoRow,
  wanted: string,
  newest: readonly MessageRow[] = [],
): Promise<boolean> {
  if (hasInTitle(row, wanted) || hasInMessages(newest, wanted)) return true
  for (let place = newest.length < together.messages ? undefined : newest.at(-1); place; ) {
    const rows: MessageRow[] = await query<MessageRow>(messagesText, [row.id, place.number, place.position, pageSize])
    if (hasInMessages(rows, wanted)) return true
    place = rows.length < pageSize ? undefined : rows.at(-1)
  }
  return false
}

function hasInTitle({ title }: InfoRow, wanted: string): boolean {
  return wanted === '' || foldCase(fromStored(title)).includes(wanted)
}

function hasInMessages(rows: readonly MessageRow[], wanted: string): boolean {
  return rows.some(({ body, run_id }) => {
    const message = parseListed<Message>(body, fromStored(run_id), 'messages')
    return message !== undefined && message.role !== 'tool' && foldCase(plainText(message)).includes(wanted)
  })
}

type MessageRow = { number: number; position: number; run_id: string; body: string }
type NewestRow = MessageRow & { session: number }
// Results of tools are not searched. Most are skipped here; their role is checked again.
const searched = `SELECT number, position, run_id, body FROM agentkit.runs JOIN agentkit.messages ON run = number
  WHERE NOT replaced AND position('"role":"tool"' IN left(body, 40)) = 0`
const messagesText = `${searched} AND session = $1 AND (number, position) < ($2, $3)
  ORDER BY number DESC, position DESC LIMIT $4`
const newestText = `SELECT s.id AS session, m.* FROM unnest($1::bigint[]) AS s (id) CROSS JOIN LATERAL (
  ${searched} AND session = s.id ORDER BY number DESC, position DESC LIMIT $2) AS m`

function toInfo(row: InfoRow, holder: Holder): SessionInfo {
  const { run_id, holder: held = null, attempt = 1, is_alive = false } = row
  const info: SessionInfo = {
    sessionId: fromStored(row.session_id),
    title: fromStored(row.title),
    createdAt: toISO(row.created_at),
    updatedAt: toISO(row.updated_at),
    turns: row.turns,
  }
  if (typeof run_id !== 'string') return info
  // A lost run that nothing resumes is settled at the next `load`.
  const isLost = holder.isLost({ run_id, holder: held, attempt, is_alive })
  if (row.is_resumable || !isLost) info.activeRunId = fromStored(run_id)
  return info
}
