import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message, SessionInfo } from '@agentkit/core'
import { foldCase, plainText } from '@agentkit/core/internal'
import { parseListed } from '../../util/json.ts'
import { toISO } from '../../util/to-iso.ts'
import type { Holder, HolderRow } from '../database/holders.ts'
import type { StoreAccess } from '../database/store-access.ts'
import type { Statements } from '../statements/statements.ts'

type InfoRow = HolderRow & {
  id: number
  session_id: string
  title: string
  created_at: number
  updated_at: number
  turns: number
  run_id: string | null
  attempt: number | null
  is_resumable: number | null
}

type Owner = { agentId: string; userId: string }
/** Where the next page begins: after a session with this time and this id. */
type Place = { updated_at: number; id: number }

/** How long one read of a search may block the process, in milliseconds. */
const sliceMs = 10
/** The sessions that a search reads at once. */
const pageSize = 500

/** A user's sessions, most recently used first; with `q` those that contain it. */
export async function listSessions(
  access: StoreAccess,
  owner: Owner,
  { q, limit = Number.MAX_SAFE_INTEGER, before }: { q?: string; limit?: number; before?: string } = {},
): Promise<SessionInfo[]> {
  const start = await access.read((statements) => placeOf(statements, owner, before))
  if (!start) return []
  const count = Math.min(limit, Number.MAX_SAFE_INTEGER)
  if (q === undefined || q === '') {
    const rows = await access.read((statements) => page(statements, owner, start, count))
    return rows.map((row) => toInfo(row, access.holder))
  }
  const wanted = foldCase(q)
  const found: SessionInfo[] = []
  let place: Place | undefined = start
  while (place && found.length < count) {
    const from: Place = place
    // Read once, however many parts its rows take: a page of many sessions takes longer than a part may.
    const rows = await access.read((statements) => page(statements, owner, from, pageSize))
    for (let next = 0; next < rows.length && found.length < count; ) {
      // A read of an open file is done without a turn of the event loop.
      await nextTurn()
      const first = next
      next = await access.read((statements) => search(statements, rows, first))
    }
    place = rows.length < pageSize ? undefined : rows.at(-1)
  }
  return found

  /** Searches rows from this one on, for a while. @returns the row to continue with */
  function search(statements: Statements, rows: readonly InfoRow[], first: number): number {
    const deadline = performance.now() + sliceMs
    let next = first
    for (const row of rows.slice(first)) {
      next++
      if (contains(statements, row, wanted)) found.push(toInfo(row, access.holder))
      if (found.length >= count || performance.now() >= deadline) break
    }
    return next
  }
}

function placeOf(statements: Statements, { agentId, userId }: Owner, before: string | undefined): Place | undefined {
  const largest = Number.MAX_SAFE_INTEGER
  if (before === undefined) return { updated_at: largest, id: largest }
  return statements.placeOfSession.get(agentId, userId, before) as Place | undefined
}

function page(statements: Statements, { agentId, userId }: Owner, { updated_at, id }: Place, count: number): InfoRow[] {
  return statements.listSessions.all(agentId, userId, updated_at, id, count) as InfoRow[]
}

/** Whether the title or a message of user and assistant contains the text, which is folded. */
function contains(statements: Statements, { id, title }: InfoRow, wanted: string): boolean {
  if (foldCase(title).includes(wanted)) return true
  for (const row of statements.searchedMessages.iterate(id)) {
    const message = parseListed<Message>(row.body as string, row.run_id as string, 'messages')
    if (message && foldCase(plainText(message)).includes(wanted)) return true
  }
  return false
}

function toInfo(row: InfoRow, holder: Holder): SessionInfo {
  const info: SessionInfo = {
    sessionId: row.session_id,
    title: row.title,
    createdAt: toISO(row.created_at),
    updatedAt: toISO(row.updated_at),
    turns: row.turns,
  }
  if (row.run_id !== null && isActive(row, row.run_id, holder)) info.activeRunId = row.run_id
  return info
}

/** A lost run that nothing resumes is settled at the next `load`. */
function isActive(row: InfoRow, runId: string, holder: Holder): boolean {
  return row.holder === null || row.is_resumable === 1 || holder.isAlive(row, runId, row.attempt ?? 1)
}
