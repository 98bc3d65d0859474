import type { MemoryOwner, MemoryStore, Note, RememberedTurn } from '../contracts/memory-store.ts'
import { checkSessionKey } from '../data/check-id.ts'
import type { SessionKey, Turn } from '../data/session-data.ts'
import { writtenIn } from '../data/session-text.ts'

type StoredRun = { session: { key: SessionKey }; turn: Turn & { endedAt?: number } }
type FoundTurn = Omit<RememberedTurn, 'messages'> & { turn: Turn }
type StoredNote = Omit<Note, 'sessionId'> & { owner: MemoryOwner }

/**
 * The memory of sessions in memory: it reads the runs themselves, so that what is deleted or replaced is gone at once.
 * @param runs of all sessions, by their ids
 */
export function memoryInMemory(runs: ReadonlyMap<string, StoredRun>): MemoryStore {
  const numbers = new WeakMap<Turn, number>()
  let last = 0
  let notes: StoredNote[] = []
  const forgotten: { owner: MemoryOwner; turns: WeakSet<Turn> }[] = []

  const idOf = (turn: Turn): number => {
    const id = numbers.get(turn) ?? ++last
    numbers.set(turn, id)
    return id
  }
  const ownTurns = (owner: MemoryOwner, since: number): FoundTurn[] => {
    const forgot = forgotten.find((one) => isSame(one.owner, owner))?.turns
    return [...runs.values()].flatMap(({ session: { key }, turn }) => {
      const { endedAt: at = 0, runId } = turn
      const isRecalled = isSame(key, owner) && turn.status === 'done' && at >= since && !forgot?.has(turn)
      if (!isRecalled) return []
      return [{ turn, id: idOf(turn), runId, sessionId: key.sessionId, at }]
    })
  }
  const standing = (): StoredNote[] => {
    notes = notes.filter(({ runId }) => {
      const run = runId === undefined ? undefined : runs.get(runId)
      return runId === undefined || (run !== undefined && run.turn.status !== 'replaced')
    })
    return notes
  }

  return {
    // Two turns may end in the same millisecond.
    settlesMs: 1,

    async turns(owner, since) {
      checkSessionKey({ userId: owner.userId })
      return ownTurns(owner, since)
        .map(({ id, at }) => ({ id, at }))
        .sort((one, other) => one.at - other.at || one.id - other.id)
    },

    async read(owner, ids, since) {
      checkSessionKey({ userId: owner.userId })
      const wanted = new Set(ids)
      const found = ownTurns(owner, since).filter(({ id }) => wanted.has(id))
      return found.map(({ turn, ...rest }) => ({ ...rest, messages: writtenIn(turn.messages) }))
    },

    async notes(owner) {
      checkSessionKey({ userId: owner.userId })
      return standing()
        .filter((note) => isSame(note.owner, owner))
        .map(({ owner: _, ...note }) => {
          const key = note.runId === undefined ? undefined : runs.get(note.runId)?.session.key
          return { ...note, ...(key && { sessionId: key.sessionId }) }
        })
    },

    async addNote(owner, { noteId, text, runId }, most) {
      checkSessionKey({ userId: owner.userId })
      const own = standing().filter((note) => isSame(note.owner, owner))
      if (own.some((note) => note.noteId === noteId)) return true
      if (own.length >= most) return false
      // A member's run is part of the run that calls it.
      const cited = [runId, runId.split('/')[0] ?? ''].find((id) => runs.has(id))
      const at = new Date().toISOString()
      notes.push({ owner: { ...owner }, noteId, text, at, ...(cited !== undefined && { runId: cited }) })
      return true
    },

    async removeNote(owner, noteId) {
      checkSessionKey({ userId: owner.userId })
      const before = standing().length
      notes = notes.filter((note) => !(note.noteId === noteId && isSame(note.owner, owner)))
      return notes.length < before
    },

    async clear(owner) {
      checkSessionKey({ userId: owner.userId })
      notes = notes.filter((note) => !isSame(note.owner, owner))
      const known = forgotten.find((one) => isSame(one.owner, owner))
      const { turns } = known ?? { turns: new WeakSet<Turn>() }
      // Also those that run or wait: their questions are from before.
      for (const { session, turn } of runs.values()) if (isSame(session.key, owner)) turns.add(turn)
      if (!known) forgotten.push({ owner: { ...owner }, turns })
    },
  }
}

function isSame(one: MemoryOwner, other: MemoryOwner): boolean {
  return one.agentId === other.agentId && one.userId === other.userId
}
