/** The owner of a memory: one agent and one user. */
export type MemoryOwner = { agentId: string; userId: string }

/** A turn that can be recalled. */
export type RememberedTurn = {
  /** Unique among the turns that are stored. That of a deleted turn may be used again, with another `at`. */
  id: number
  runId: string
  sessionId: string
  /** When it ended, in milliseconds since 1970. */
  at: number
  /** What user and model wrote, in order; without calls and results of tools. */
  messages: { role: 'user' | 'assistant'; text: string }[]
}

/** A note about a user. It cites the turn in which it was made, and is deleted with it. */
export type Note = {
  /** The id of the note. */
  noteId: string
  /** The note: one line. */
  text: string
  /** ISO 8601, UTC. */
  at: string
  /** Absent where the run was not stored. */
  sessionId?: string
  /** The run in which the note was made; absent where it was not stored. */
  runId?: string
}

/**
 * The data of users across their sessions. Part of `SessionStore.memory`; every such store passes
 * `memoryStoreContract` of `@agentkit/testing/vitest`.
 *
 * - A turn can be recalled from its end, with the status `done`, until it is replaced, its session is deleted or has
 *   expired, or `clear` is called: in the same transaction. Runs without a session, and those of members, cannot.
 * - Turns and notes of another owner are never returned, whatever ids are passed.
 * - A note is removed with the run that it cites, and when that run is replaced.
 */
export interface MemoryStore {
  /** How much later than its `at` a turn may appear, in milliseconds: a reader that continues looks back so far. */
  readonly settlesMs: number
  /** All turns that can be recalled and have ended at `since` or later, oldest first. */
  turns(owner: MemoryOwner, since: number): Promise<Pick<RememberedTurn, 'id' | 'at'>[]>
  /** Those of these turns that can still be recalled, and have ended at `since` or later. */
  read(owner: MemoryOwner, ids: readonly number[], since: number): Promise<RememberedTurn[]>
  /** Oldest first. */
  notes(owner: MemoryOwner): Promise<Note[]>
  /**
   * Adds a note, unless the owner has `most` notes. One with the same id stays as it is.
   * @param note.runId the run that it cites, where that is stored
   * @returns whether the note is stored
   */
  addNote(owner: MemoryOwner, note: { noteId: string; text: string; runId: string }, most: number): Promise<boolean>
  /** @returns false when the owner has no such note */
  removeNote(owner: MemoryOwner, noteId: string): Promise<boolean>
  /** Removes all notes, and lets none of the turns that have begun until now be recalled. The sessions stay. */
  clear(owner: MemoryOwner): Promise<void>
}
