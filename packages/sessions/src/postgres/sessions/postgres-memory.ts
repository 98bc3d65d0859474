import { checkSessionKey, type MemoryOwner, type MemoryStore } from '@agentkit/core'
import { type NoteRow, noteOf, type RecalledRow, turnsOf } from '../../util/recalled.ts'
import type { Access } from '../database/access.ts'
import type { Query } from '../database/database.ts'
import { fromStored, toStored } from '../database/text-form.ts'

/** The part of a store in Postgres that knows users beside single sessions. */
export function postgresMemory({ database: { query }, write }: Access): MemoryStore {
  return {
    // A transaction that began earlier may end later, and is ended by the database within seconds.
    settlesMs: 60_000,

    // The database compares whole milliseconds.
    async turns(owner, since) {
      return query<{ id: number; at: number }>(turnsText, [...ownerOf(owner), Math.ceil(since)])
    },

    async read(owner, ids, since) {
      if (ids.length === 0) return []
      const rows = await query<RecalledRow>(readText, [...ownerOf(owner), Math.ceil(since), ids])
      return turnsOf(
        rows.map((row) => ({ ...row, run_id: fromStored(row.run_id), session_id: fromStored(row.session_id) })),
      )
    },

    async notes(owner) {
      const rows = await query<NoteRow>(notesText, ownerOf(owner))
      return rows.map((row) => noteOf(plain(row)))
    },

    addNote: (owner, { noteId, text, runId }, most) => {
      const key = [...ownerOf(owner), toStored(noteId)]
      const runs = [toStored(runId), toStored(runId.split('/')[0] ?? '')]
      return write(async (writing) => {
        await lockOwner(writing.query, owner)
        const [known] = await writing.query<{ notes: number; is_there: boolean | null }>(countText, key)
        if (known?.is_there) return true
        if ((known?.notes ?? 0) >= most) return false
        await writing.query(addText, [...key, toStored(text), ...runs, writing.now])
        return true
      })
    },

    async removeNote(owner, noteId) {
      if (noteId === '') return false
      const removed = await query(`${deleteText} AND note_id = $3 RETURNING 1`, [...ownerOf(owner), toStored(noteId)])
      return removed.length > 0
    },

    async clear(owner) {
      const key = ownerOf(owner)
      await write(async (writing) => {
        await lockOwner(writing.query, owner)
        await writing.query(deleteText, key)
        await writing.query(forgetText, [...key, writing.now])
      })
    },
  }
}

function plain({ note_id, text, created_at, run_id, session_id }: NoteRow): NoteRow {
  const ids = { run_id: run_id && fromStored(run_id), session_id: session_id && fromStored(session_id) }
  return { note_id: fromStored(note_id), text: fromStored(text), created_at, ...ids }
}

/** Without the lock, concurrent callers could add more notes than the limit allows. */
async function lockOwner(query: Query, { agentId, userId }: MemoryOwner): Promise<void> {
  const words = `agentkit memory ${JSON.stringify([agentId, userId])}`
  await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [toStored(words)])
}

function ownerOf({ agentId, userId }: MemoryOwner): [string, string] {
  checkSessionKey({ userId })
  return [toStored(agentId), toStored(userId)]
}

const ofClear = `FROM agentkit.memory WHERE agent_id = $1 AND user_id = $2 AND note_id = ''`
/** The time at which the memory was cleared, and the last run at that time: another one may begin in the same millisecond. */
const forgottenText = `coalesce((SELECT created_at ${ofClear}), -1),
    coalesce((SELECT nullif(text, '')::bigint ${ofClear}), 0)`
/**
 * A run without a session has a hidden one under another agent id. A run that had begun when the memory was cleared is not
 * recalled, whenever it ends: its question is from before.
 */
const recalledOf = (
  runs: string,
): string => `FROM ${runs} AS r JOIN agentkit.sessions AS s ON s.id = r.session AND s.agent_id = r.agent_id
  WHERE r.agent_id = $1 AND r.user_id = $2 AND r.status = 'done' AND NOT r.replaced AND r.root IS NULL
    AND r.ended_at >= $3 AND (r.created_at, r.number) > (${forgottenText})`
const turnsText = `SELECT r.number AS id, r.ended_at AS at ${recalledOf('agentkit.runs')} ORDER BY r.ended_at, r.number`
// The runs are selected by number first, whatever the planner's statistics say: the owner may have many runs. Tool
// results are not needed. The statement skips most of them; the code checks the role again.
const readText = `WITH wanted AS MATERIALIZED (SELECT number, run_id, session, agent_id, user_id, status, replaced, root, created_at, ended_at
    FROM agentkit.runs WHERE number = ANY($4::bigint[])),
  found AS (SELECT r.number, r.run_id, s.session_id, r.ended_at ${recalledOf('wanted')})
  SELECT found.number, run_id, session_id, ended_at, body FROM found JOIN agentkit.messages AS m ON m.run = found.number
  WHERE position('"role":"tool"' IN left(body, 40)) = 0 ORDER BY found.number, position`
const notesText = `SELECT note_id, text, m.created_at, r.run_id,
    CASE WHEN s.agent_id = r.agent_id THEN s.session_id END AS session_id
  FROM agentkit.memory AS m LEFT JOIN agentkit.runs AS r ON r.number = m.run
    LEFT JOIN agentkit.sessions AS s ON s.id = r.session
  WHERE m.agent_id = $1 AND m.user_id = $2 AND note_id <> '' ORDER BY m.id`
const countText = `SELECT count(*) AS notes, bool_or(note_id = $3) AS is_there FROM agentkit.memory
  WHERE agent_id = $1 AND user_id = $2 AND note_id <> ''`
// A member's run is part of the run that calls it.
const addText = `INSERT INTO agentkit.memory (agent_id, user_id, note_id, text, run, created_at)
  VALUES ($1, $2, $3, $4, coalesce((SELECT number FROM agentkit.runs WHERE run_id = $5),
    (SELECT number FROM agentkit.runs WHERE run_id = $6)), $7)`
const deleteText = 'DELETE FROM agentkit.memory WHERE agent_id = $1 AND user_id = $2'
// Where the clock was set back, the newest run is from a later time. Without runs there is nothing to forget, and the user is
// not named in the database.
const forgetText = `INSERT INTO agentkit.memory (agent_id, user_id, note_id, text, created_at)
  SELECT $1, $2, '', (SELECT max(number) FROM agentkit.runs)::text,
    greatest($3, (SELECT max(created_at) FROM agentkit.runs WHERE agent_id = $1 AND user_id = $2))
  WHERE EXISTS (SELECT 1 FROM agentkit.runs WHERE agent_id = $1 AND user_id = $2)`

/** Removes what `clear` has stored of these owners, where their last run is gone. */
export async function dropForgotten(query: Query, owners: readonly MemoryOwner[]): Promise<void> {
  const columns = [owners.map(({ agentId }) => toStored(agentId)), owners.map(({ userId }) => toStored(userId))]
  if (owners.length > 0) await query(dropText, columns)
}

const dropText = `DELETE FROM agentkit.memory AS m USING unnest($1::text[], $2::text[]) AS o (agent_id, user_id)
  WHERE m.agent_id = o.agent_id AND m.user_id = o.user_id AND m.note_id = ''
    AND NOT EXISTS (SELECT 1 FROM agentkit.runs AS r WHERE r.agent_id = o.agent_id AND r.user_id = o.user_id)`
