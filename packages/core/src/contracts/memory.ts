import type { Citation } from '../data/citation.ts'
import type { Note } from './memory-store.ts'
import type { SessionStore } from './session-store.ts'
import type { Tool } from './tool.ts'

/** A hit of a search in earlier turns: the citation of the best turn, and the text of the turns around it. */
export type MemoryHit = Citation & { session: NonNullable<Citation['session']>; text: string }

/** What an agent remembers of its users. */
export interface Memory {
  /**
   * Searches the earlier turns of a user with this agent, the best first.
   * @param options.limit default 10, at most 50
   * @throws AgentKitError `invalid-argument` for an empty query and for one of more than 10,000 characters
   */
  search(query: string, options: { userId: string; limit?: number }): Promise<MemoryHit[]>
  /** The notes about a user, oldest first. */
  notes(options: { userId: string }): Promise<Note[]>
  /** Deletes the notes about a user, and lets no turn until now be found again. The conversations stay. */
  delete(options: { userId: string }): Promise<void>
}

/** The memory of one agent, as its runs use it. */
export interface AgentMemory extends Memory {
  readonly tools: readonly Tool[]
  /**
   * The notes about the user, as the text that is inserted before the newest question.
   * @param run.before only notes of before, ISO 8601: a run that continues has those that it began with
   */
  promptNotes?(run: { userId: string; runId: string; before?: string | undefined }): Promise<string | undefined>
}

/** What an agent remembers. */
export type MemoryOptions = {
  /** Whether the model has the tool `recall`, which searches earlier turns; default true. */
  recall?: boolean
  /** Whether the model has the tools `remember` and `forget`, and sees the notes; default true. */
  notes?: boolean
  /** Only turns of this many last days are found; default all that are stored. */
  days?: number
}

/** Makes the memory of an agent, such as `createMemory()` of `@agentkit/memory`. */
export type MemoryOf = (agent: { agentId: string; sessions: SessionStore }) => AgentMemory
