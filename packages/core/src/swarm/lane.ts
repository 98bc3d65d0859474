import type { SessionStore } from '../contracts/session-store.ts'
import type { Message } from '../data/message.ts'
import type { SessionKey } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import { claimSession, forgetLeftover } from '../sessions/acquire-session.ts'

/** What a member has done in one call, as its lane keeps it. */
export type LaneTurn = { runId: string; messages: Message[]; status: 'done' | 'failed'; usage: Usage }

/**
 * A member's lane in its swarm's session: its own turns, and nobody else's. Ids have no slash, so no agent's sessions
 * are ever taken for a lane.
 *
 * @param lane the ids of the agents from the outermost in, joined by `/`
 */
export function laneKey(lane: string, userId: string, sessionId: string): SessionKey {
  return { agentId: lane, userId, sessionId }
}

/** What a member has been asked and has answered in a session before. */
export async function readLane(store: SessionStore, key: SessionKey): Promise<Message[]> {
  return (await store.load(key))?.messages ?? []
}

/**
 * Adds a turn to a lane. Several calls of a member may be under way at once: each is added when it has ended, whole.
 */
export async function addToLane(
  store: SessionStore,
  key: SessionKey,
  { runId, messages, status, usage }: LaneTurn,
  signal: AbortSignal,
): Promise<void> {
  const { release } = await claimSession({ store, key, runId, signal, onBusy: 'queue', interrupt() {} }, async () => ({
    input: messages,
    undo: { status: 'failed' },
    found: undefined,
  }))
  try {
    await store.end(runId, status, usage)
    forgetLeftover(store, key, runId)
  } finally {
    release()
  }
}

/** The store of a swarm: with a session go the lanes of its members. */
export function withLanes(store: SessionStore, swarm: string, lanes: () => readonly string[]): SessionStore {
  return {
    load: (key) => store.load(key),
    begin: (key, run) => store.begin(key, run),
    append: (runId, messages, state) => store.append(runId, messages, state),
    end: (runId, status, usage) => store.end(runId, status, usage),
    find: (runId) => store.find(runId),
    turns: (key, options) => store.turns(key, options),
    list: (owner) => store.list(owner),
    async delete(key) {
      if (key.agentId === swarm) for (const lane of lanes()) await store.delete({ ...key, agentId: lane })
      await store.delete(key)
    },
    close: () => store.close(),
  }
}
