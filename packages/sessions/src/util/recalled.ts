import type { Message, Note, RememberedTurn } from '@agentkit/core'
import { writtenIn } from '@agentkit/core/internal'
import { toISO } from './to-iso.ts'

/** A message of a turn that can be recalled. The messages of one turn follow each other. */
export type RecalledRow = { number: number; run_id: string; session_id: string; ended_at: number; body: string }

export function turnsOf(rows: readonly RecalledRow[]): RememberedTurn[] {
  const turns: RememberedTurn[] = []
  for (const { number: id, run_id: runId, session_id: sessionId, ended_at: at, body } of rows) {
    const last = turns.at(-1)
    const turn: RememberedTurn = last?.id === id ? last : { id, runId, sessionId, at, messages: [] }
    if (turn !== last) turns.push(turn)
    turn.messages.push(...written(body))
  }
  return turns
}

/** A damaged message is left out: it must not keep a user from all others. */
function written(body: string): RememberedTurn['messages'] {
  try {
    return writtenIn([JSON.parse(body) as Message])
  } catch {
    return []
  }
}

export type NoteRow = {
  note_id: string
  text: string
  created_at: number
  run_id: string | null
  session_id: string | null
}

export function noteOf({ note_id, text, created_at, run_id, session_id }: NoteRow): Note {
  const note: Note = { noteId: note_id, text, at: toISO(created_at) }
  if (session_id !== null) note.sessionId = session_id
  if (run_id !== null) note.runId = run_id
  return note
}
