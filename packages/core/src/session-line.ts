import { untilAborted } from './abort.ts'
import type { SessionKey, SessionStore } from './session.ts'

/** Separates its parts by what none of them can hide: ("a", "b_c") and ("a_b", "c") stay two. */
export function keyText({ agentId, userId, sessionId }: SessionKey): string {
  return JSON.stringify([agentId, userId, sessionId])
}

/** What is known per session of a store, for as long as the store lives. */
export function perStore<Value>(): (store: SessionStore) => Map<string, Value> {
  const maps = new WeakMap<SessionStore, Map<string, Value>>()
  return (store) => {
    const known = maps.get(store) ?? new Map<string, Value>()
    maps.set(store, known)
    return known
  }
}

/** The last in line for each session. Agents that share a store share its lines. */
const lines = perStore<Promise<void>>()

/**
 * Waits until every earlier run of the session has left.
 * @returns lets the next one in; call it once
 */
export async function waitInLine(store: SessionStore, key: SessionKey, signal: AbortSignal): Promise<() => void> {
  const line = lines(store)
  const session = keyText(key)
  const ahead = line.get(session) ?? Promise.resolve()
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const last = ahead.then(() => left)
  line.set(session, last)
  // Only when everybody ahead has left too: one who gives up while waiting must not open the way for the next.
  void last.then(() => {
    if (line.get(session) === last) line.delete(session)
  })
  try {
    await untilAborted(signal, ahead)
    return leave
  } catch (error) {
    leave()
    throw error
  }
}
