import type { JSONValue, Message } from '../data/message.ts'
import type { Session, SessionInfo, SessionKey, Turn } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import type { MemoryStore } from './memory-store.ts'
import type { RunStore } from './run-store.ts'

/**
 * A journal of runs: a run begins, appends each finished step before the next one starts, and ends.
 * Every store passes `sessionStoreContract` of `@agentkit/testing/vitest`.
 *
 * - A session that has never begun a run loads as `undefined`.
 * - What a call acknowledges survives the death of the process.
 * - A run whose process has died counts as failed: the next `load` or `begin` settles it, and moves the version.
 * - Calls for one run take effect in their order, also when they are not awaited.
 * - A `userId` or `sessionId` that is longer than 1,024 bytes of UTF-8 or not valid Unicode is refused as
 *   `invalid-argument` by every call that takes a key (`checkSessionKey`): as bytes, two such ids may be one.
 * - A run's id is used once across all sessions: a second `begin` with it is `session-conflict`, except for a suspended
 *   run (status `waiting`).
 * - A suspended run can begin again in its session, with its own id and no input: it is running again, in its own
 *   place, with its journal, state and usage. Of several callers at once, one succeeds.
 * - State that a run has stored stays, also when the run fails. Deleting a session ends its running run.
 * - A failed turn without a finished tool call is hidden from `load`; one with finished calls keeps them
 *   (see `visibleMessages`). `turns` and `find` return the whole journal.
 */
export interface SessionStore {
  /** The stored runs, which can continue after their process has died. Without it, resumable runs are `unsupported`. */
  readonly runs?: RunStore
  /** The memory of users across sessions. Without it, agents cannot have `memory`. */
  readonly memory?: MemoryStore
  /**
   * @param options.from how many messages at the beginning of the conversation are left out, such as those that a summary
   *   replaces; `Session.from` says where `messages` begin
   * @throws AgentKitError `invalid-argument` when `from` is not a whole number of at least 0
   */
  load(key: SessionKey, options?: { from?: number }): Promise<Session | undefined>
  /**
   * @param run.expectedVersion the version that `load` returned; 0 for an unknown session
   * @param run.input empty when a suspended run begins again
   * @param run.replaces a run of this session: it and every later turn become `replaced`, and are hidden from `load`, and
   *   so are the turns of members of a swarm, whose run ids begin with the id of such a run and `/`. The session's state
   *   becomes that of the last turn that is left.
   * @throws AgentKitError `session-conflict` when the version has moved, another run holds the session, or the run's id
   *   is used and it is not suspended in this session; `not-found` when `replaces` is no run of this session
   */
  begin(
    key: SessionKey,
    run: { runId: string; expectedVersion: number; input: Message[]; replaces?: string },
  ): Promise<void>
  /**
   * Called after each model call and each tool result. `state`, when given, replaces the session's.
   * @throws AgentKitError `session-conflict` when the run is not active
   */
  append(runId: string, messages: Message[], state?: JSONValue): Promise<void>
  /**
   * @param usage of the whole run; absent, the usage of an earlier end of the run stays
   * @throws AgentKitError `session-conflict` when the run is not (or no longer) running
   */
  end(runId: string, status: 'done' | 'failed' | 'waiting', usage?: Usage): Promise<void>
  /** The turn of a run; `undefined` for an unknown run. */
  find(runId: string): Promise<Turn | undefined>
  /**
   * Oldest first; `after` is a runId, `limit` a count. Unknown sessions have none, and an unknown run has none after it.
   * @throws AgentKitError `invalid-argument` when `limit` is not a whole number of at least 0, nor infinite
   */
  turns(key: SessionKey, options?: { after?: string; limit?: number }): Promise<Turn[]>
  /**
   * A user's sessions with one agent, most recently used first.
   * @param options.q only sessions whose title or messages of user and assistant contain this text, case-insensitive
   * @param options.limit as that of `turns`
   * @param options.before a session id: only sessions after it in this order; an unknown one has none after it
   */
  list(
    owner: { agentId: string; userId: string },
    options?: { q?: string; limit?: number; before?: string },
  ): Promise<SessionInfo[]>
  /** @throws AgentKitError `not-found` for an unknown session */
  rename(key: SessionKey, title: string): Promise<void>
  /** Removes a session and its turns. Does nothing for an unknown session. */
  delete(key: SessionKey): Promise<void>
  /** Closes the store. */
  close(): Promise<void>
}
