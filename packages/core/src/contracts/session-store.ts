import type { JSONValue, Message } from '../data/message.ts'
import type { Session, SessionInfo, SessionKey, Turn } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'

/**
 * A step journal: a run begins, appends what is finished before the next thing starts, and ends.
 * Every store passes `sessionStoreContract` of `@agentkit/testing/vitest`.
 *
 * - A session that has never begun a run loads as `undefined`.
 * - What a call acknowledges survives the death of the process.
 * - A run whose process has died counts as failed: the next `load` or `begin` settles it, and moves the version.
 * - What is called for one run takes effect in the order of the calls, also where none is awaited.
 * - A `userId` or `sessionId` that is longer than 1,024 bytes of UTF-8 or no valid Unicode is refused as
 *   `invalid-argument` by every call that takes a key (`checkSessionKey`): as bytes, two such ids may be one.
 * - A run's id is used once, in whatever session: a second `begin` with it is `session-conflict`, but for a waiting run.
 * - A waiting run may be begun again in its session, with its own id and no input: it is running again, in its own
 *   place, with what it had journaled, its state and its usage. Of several who do it at once, one may.
 * - State that a run has stored stays, also when the run fails. Deleting a session ends what runs in it.
 * - A failed turn without a finished tool call is hidden from `load`; one with finished calls keeps them
 *   (see `visibleMessages`). `turns` and `find` give what was journaled.
 */
export interface SessionStore {
  load(key: SessionKey): Promise<Session | undefined>
  /**
   * @param run.expectedVersion the version that `load` gave; 0 for a session that it did not know
   * @param run.input empty when a waiting run is begun again
   * @throws AgentKitError `session-conflict` when the version has moved, another run holds the session, or the run's id
   *   is used and it does not wait in this session
   */
  begin(key: SessionKey, run: { runId: string; expectedVersion: number; input: Message[] }): Promise<void>
  /**
   * After each model call and each tool result. `state`, when given, replaces the session's.
   * @throws AgentKitError `session-conflict` when the run is not (or no longer) running
   */
  append(runId: string, messages: Message[], state?: JSONValue): Promise<void>
  /**
   * @param usage of the whole run; absent, what an earlier end of the run has told stays
   * @throws AgentKitError `session-conflict` when the run is not (or no longer) running
   */
  end(runId: string, status: 'done' | 'failed' | 'waiting', usage?: Usage): Promise<void>
  find(runId: string): Promise<Turn | undefined>
  /** Oldest first; `after` is a runId, `limit` a count. Unknown sessions have none, and nothing is after an unknown run. */
  turns(key: SessionKey, options?: { after?: string; limit?: number }): Promise<Turn[]>
  /** A user's sessions with one agent, the last used first. */
  list(owner: { agentId: string; userId: string }): Promise<SessionInfo[]>
  /** Removes a session and its turns. An unknown one is no error. */
  delete(key: SessionKey): Promise<void>
  close(): Promise<void>
}
