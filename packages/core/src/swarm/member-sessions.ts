import type { SessionStore } from '../contracts/session-store.ts'
import { messageOf } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import type { SessionKey } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import type { Run } from '../loop/run/types.ts'
import { acquireSession, type SessionRequest, storedBeginning } from '../sessions/acquire-session.ts'
import { forgetUnendedRun } from '../sessions/unended-runs.ts'
import { untilAborted } from '../util/async/abort.ts'

/** One call of a member, as its session stores it. */
export type MemberTurn = {
  runId: string
  messages: Message[]
  status: 'done' | 'failed'
  usage: Usage
  /** The turn of the same call whose end was not stored. */
  replaces?: string
}

/**
 * The key of a member's session within its swarm's session, which has the turns of this member only. Ids of agents have
 * no slash, so it differs from the key of every agent.
 *
 * @param memberPath the ids of the agents from the outermost in, joined by `/`
 */
export function memberSessionKey(memberPath: string, userId: string, sessionId: string): SessionKey {
  return { agentId: memberPath, userId, sessionId }
}

/** The earlier messages of a member's session. */
export async function readMemberSession(store: SessionStore, key: SessionKey): Promise<Message[]> {
  return (await store.load(key))?.messages ?? []
}

/**
 * Stores what a member did in its session. A failure is only a warning, as the swarm's own session has the answer.
 * @param stopped of a member whose run was aborted: how long this may take, and what throws once the swarm's run is lost
 */
export async function storeMemberTurn(
  { scope, state, members }: Run,
  memberPath: string,
  turn: MemberTurn,
  stopped?: { signal: AbortSignal; confirm(): Promise<void> | undefined },
): Promise<void> {
  const { userId, sessionId } = scope
  const { signal, confirm } = stopped ?? { signal: scope.signal }
  if (sessionId === undefined || turn.messages.length === 0) return
  try {
    await appendToMemberSession(members.store, memberSessionKey(memberPath, userId, sessionId), turn, signal, confirm)
  } catch (error) {
    if (!scope.signal.aborted)
      state.warnings.push(`The session of "${memberPath}" could not be stored: ${messageOf(error)}`)
  }
}

/** Appends a whole turn to a member's session when its call has ended, as several calls may run at the same time. */
async function appendToMemberSession(
  store: SessionStore,
  key: SessionKey,
  { runId, messages, status, usage, replaces }: MemberTurn,
  signal: AbortSignal,
  confirm?: () => Promise<void> | undefined,
): Promise<void> {
  const request: SessionRequest = { store, key, runId, signal, onBusy: 'queue', interrupt() {} }
  const { release } = await acquireSession(request, async (session) => {
    // After the session was loaded: a run that replaces this one since then moves its version.
    if (confirm) await untilAborted(signal, confirm())
    return storedBeginning(request, session, { input: messages, found: undefined, replaces })
  })
  try {
    await store.end(runId, status, usage)
    forgetUnendedRun(store, key, runId)
  } finally {
    release()
  }
}

/** The store of a swarm: deleting a session deletes the sessions of its members too. */
export function withMemberSessions(
  store: SessionStore,
  swarm: string,
  memberPaths: () => readonly string[],
): SessionStore {
  return {
    ...(store.runs && { runs: store.runs }),
    ...(store.memory && { memory: store.memory }),
    load: (key, options) => store.load(key, options),
    begin: (key, run) => store.begin(key, run),
    append: (runId, messages, state) => store.append(runId, messages, state),
    end: (runId, status, usage) => store.end(runId, status, usage),
    find: (runId) => store.find(runId),
    turns: (key, options) => store.turns(key, options),
    list: (owner, options) => store.list(owner, options),
    rename: (key, title) => store.rename(key, title),
    async delete(key) {
      if (key.agentId === swarm) for (const path of memberPaths()) await store.delete({ ...key, agentId: path })
      await store.delete(key)
    },
    close: () => store.close(),
  }
}
