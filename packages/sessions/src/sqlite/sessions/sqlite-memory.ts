import { checkSessionKey, type MemoryOwner, type MemoryStore, type RememberedTurn } from '@agentkit/core'
import { toJSON } from '../../util/json.ts'
import { noteOf, type RecalledRow, turnsOf } from '../../util/recalled.ts'
import { storeTime } from '../../util/store-time.ts'
import type { StoreAccess } from '../database/store-access.ts'

/** The part of a SQLite store that knows users beside single sessions. */
export function sqliteMemory({ read, write }: StoreAccess): MemoryStore {
  return {
    // Turns end in the order of their times, unless two do so in one millisecond, or the clock is set.
    settlesMs: 1_000,

    async turns(owner, since) {
      const values = { ...ownerOf(owner), since }
      // The rows have the columns that the statement selects.
      const rows = await read((statements) => statements.recalledTurns.all(values) as unknown as [number, number][])
      return rows.map(([id, at]) => ({ id, at }))
    },

    async read(owner, ids, since): Promise<RememberedTurn[]> {
      const values = { ...ownerOf(owner), since, ids: toJSON(ids) }
      return turnsOf(await read((statements) => statements.readRecalled.all(values) as RecalledRow[]))
    },

    async notes(owner) {
      const values = ownerOf(owner)
      const rows = await read((statements) => statements.notes.all(values))
      return (rows as Parameters<typeof noteOf>[0][]).map(noteOf)
    },

    async addNote(owner, { noteId, text, runId }, most) {
      const key = { ...ownerOf(owner), noteId }
      const note = { ...key, text, runId, rootId: runId.split('/')[0] ?? '' }
      return write((statements) => {
        const { notes = 0, is_there = 0 } = statements.countNotes.get(key) ?? {}
        if (is_there === 1) return true
        if (Number(notes) >= most) return false
        statements.addNote.run({ ...note, now: storeTime() })
        return true
      })
    },

    async removeNote(owner, noteId) {
      const key = { ...ownerOf(owner), noteId }
      return noteId !== '' && write((statements) => statements.removeNote.run(key).changes > 0)
    },

    async clear(owner) {
      const key = ownerOf(owner)
      await write((statements) => {
        statements.clearMemory.run(key)
        statements.forgetTurns.run({ ...key, now: storeTime() })
      })
    },
  }
}

function ownerOf({ agentId, userId }: MemoryOwner): { agentId: string; userId: string } {
  checkSessionKey({ userId })
  return { agentId, userId }
}
