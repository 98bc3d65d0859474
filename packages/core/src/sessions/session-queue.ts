import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { SessionKey } from '../data/session-data.ts'
import { limits } from '../limits.ts'
import { untilAborted } from '../util/abort.ts'

/**
 * What a run does when another one holds its session: wait its turn, fail at once, or end the others and go next.
 */
export type OnBusy = 'queue' | 'reject' | 'interrupt'

export type LineRequest = {
  store: SessionStore
  key: SessionKey
  signal: AbortSignal
  onBusy: OnBusy
  /** How somebody who comes later ends this run. */
  interrupt(reason: AgentKitError): void
}

/** The first in line holds the session, the others wait for it. */
type Place = { admit(): void; interrupt(reason: AgentKitError): void; interrupted: boolean }

/** Agents that share a store share its lines. */
const lines = perStore<Place[]>()

/**
 * Waits until every earlier run of the session in this process has left.
 *
 * @returns lets the next one in
 * @throws AgentKitError `session-busy` when the line is full, or there is one and `onBusy` is `reject`
 */
export async function waitInLine({ store, key, signal, onBusy, interrupt }: LineRequest): Promise<() => void> {
  const session = keyText(key)
  const line = lines(store).get(session) ?? []
  if (onBusy === 'reject' && line.length > 0) throw sessionBusy()
  if (onBusy === 'interrupt') interruptAll(line)
  // The first one does not wait, and who was interrupted is about to leave.
  if (line.filter((place) => !place.interrupted).length > limits.sessionQueue) throw lineIsFull()

  const { promise: admitted, resolve: admit } = Promise.withResolvers<void>()
  const place: Place = { admit, interrupt, interrupted: false }
  lines(store).set(session, line)
  line.push(place)
  if (line.length === 1) admit()

  const leave = (): void => {
    const index = line.indexOf(place)
    if (index === -1) return
    line.splice(index, 1)
    line[0]?.admit()
    if (line.length === 0) lines(store).delete(session)
  }
  try {
    await untilAborted(signal, admitted)
    return leave
  } catch (error) {
    leave()
    throw error
  }
}

function interruptAll(line: readonly Place[]): void {
  const reason = new AgentKitError('aborted', 'A newer message interrupted the run.')
  // A copy: who is interrupted may leave at once.
  for (const place of [...line]) {
    if (place.interrupted) continue
    place.interrupted = true
    place.interrupt(reason)
  }
}

function lineIsFull(): AgentKitError {
  return busy(`${limits.sessionQueue} runs wait for this session already. Try again when some of them have ended.`)
}

/** @param cause what the store said, when it was the one to say so */
export function sessionBusy(cause?: AgentKitError): AgentKitError {
  return busy('Another run holds this session. Try again when it has ended.', cause)
}

function busy(message: string, cause?: AgentKitError): AgentKitError {
  return new AgentKitError('session-busy', message, {
    ...(cause ? { cause } : {}),
    retryable: true,
    retryAfterMs: 1000,
  })
}

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
