import type { SessionStore } from '../contracts/session-store.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { SessionKey } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import { untilAborted } from '../util/abort.ts'
import { acquireSession, forgetUnendedRun } from './acquire-session.ts'
import type { OnBusy } from './session-queue.ts'
import {
  acquireSuspended,
  alreadyResumed,
  approvalExpired,
  entryOf,
  isExpired,
  keyOf,
  markState,
  notSuspended,
  type ResumedRun,
  removeExpired,
  type SuspendedRun,
  stateOf,
} from './suspended-runs.ts'

/** A run's turn in its session, from `begin` to `end`. */
export type OpenTurn = {
  /** The conversation before this run, as a model may see it. */
  readonly history: readonly Message[]
  /** The state of the session, as it was loaded or appended last. */
  readonly state: JSONValue | undefined
  /** @param state the whole new state of the session; absent, it stays */
  append(messages: Message[], state?: JSONValue): Promise<void>
  /**
   * Stores the run as suspended, with the snapshot that resumes it, and releases the session.
   * @param messages all messages of the run so far; a run without a session is first stored now
   */
  suspend(snapshot: JSONValue, usage: Usage, messages: readonly Message[]): Promise<void>
  /**
   * Resumes the suspended run once the session is free; `history` and `state` are then up to date.
   * @returns whether other runs began or ended meanwhile, which may have changed `history`
   * @throws AgentKitError `session-conflict` when it was resumed elsewhere, `not-found` when it is gone
   */
  resume(signal: AbortSignal): Promise<{ hasMoved: boolean }>
  end(status: 'done' | 'failed', usage: Usage): Promise<void>
  /** Lets the next run of this session begin: after `end`, or instead of it when the store fails. */
  release(): void
}

type SessionAccess = {
  store: SessionStore
  agentId: string
  runId: string
  signal: AbortSignal
  onBusy: OnBusy
  /** How long approvals can be decided, in milliseconds. */
  approvalMs: number
  /** Called when a later run ends this one, while it holds its session or waits for it. */
  interrupt(reason: AgentKitError): void
}

type NewTurn = SessionAccess & {
  userId: string
  /** Absent: nothing is stored, unless the run is suspended. */
  key: SessionKey | undefined
  input: Message
  /** Seeds a session that has no history. */
  seed: readonly Message[]
}

/**
 * Acquires the session for one run, loads its history and stores the user's message.
 * It queues behind runs of this process, and waits up to 5 s for a run of another process.
 *
 * @throws AgentKitError `session-busy` when the queue is full, when another process holds the session for longer, or
 *   when the session is held and `onBusy` is `reject`
 */
export async function openTurn(request: NewTurn): Promise<OpenTurn> {
  const { key, input, seed } = request
  if (!key) return unstoredTurn(request)
  const { found, release } = await acquireSession({ ...request, key }, async (session) => {
    const isKnown = session !== undefined && session.messages.length > 0
    return {
      input: isKnown ? [input] : [...seed, input],
      undo: { status: 'failed' },
      found: {
        history: isKnown ? session.messages : seed,
        seeded: isKnown ? 0 : seed.length,
        state: stateOf(session?.state),
        version: session?.version ?? 0,
      },
    }
  })
  return storedTurn({ ...request, ...key }, { ...found, release })
}

/**
 * Resumes a suspended run by its id, in its own place of its session. Of several callers at once, one succeeds.
 *
 * @param request.userId the run's user; any user when absent
 * @throws AgentKitError `not-found` for a run of another agent or user, or one that is gone; `session-conflict` for one
 *   that was resumed already; `session-busy` as `openTurn`
 */
export async function resumeTurn(
  request: SessionAccess & { userId?: string },
): Promise<ResumedRun & { turn: OpenTurn }> {
  const { store, agentId, runId, userId, signal, approvalMs } = request
  const known = await untilAborted(signal, store.find(runId))
  const owner = entryOf(known?.state)
  if (!known || !owner || owner.agentId !== agentId) throw notSuspended(runId)
  if (userId !== undefined && owner.userId !== userId) throw notSuspended(runId)
  if (known.status !== 'waiting') throw alreadyResumed(runId)
  const key = keyOf(owner, runId)
  if (isExpired(owner, approvalMs)) {
    await endExpired({ ...request, key }, owner)
    throw approvalExpired(runId, approvalMs)
  }
  const { found, release } = await acquireSuspended({ ...request, key })
  const turn = storedTurn({ ...request, ...owner }, { ...found, seeded: found.entry.seeded, release })
  return { ...found, turn }
}

/** Ends a run whose approvals were not decided in time. */
async function endExpired(request: SessionAccess & { key: SessionKey }, { sessionId }: SuspendedRun): Promise<void> {
  const { store, key, runId, signal } = request
  if (sessionId === undefined) return untilAborted(signal, store.delete(key))
  const { found, release } = await acquireSuspended(request)
  try {
    await untilAborted(signal, store.end(runId, 'failed', found.usage))
    forgetUnendedRun(store, key, runId)
  } finally {
    release()
  }
}

/** The state of a session as an object. */
export function sessionState({ state }: OpenTurn): { [key: string]: JSONValue } {
  return typeof state === 'object' && state !== null && !Array.isArray(state) ? state : {}
}

/** Whose run it is, and where it is stored. */
type TurnPlace = Pick<SuspendedRun, 'agentId' | 'userId' | 'sessionId'> &
  Pick<SessionAccess, 'store' | 'runId' | 'approvalMs' | 'interrupt'>

type HeldSession = {
  history: readonly Message[]
  /** How many of the run's first messages are the conversation before it. */
  seeded: number
  state: JSONValue | undefined
  /** The version of the session when the run began or was resumed. */
  version: number
  /** Of a run that was suspended before. */
  entry?: SuspendedRun
  release(): void
}

/** The turn of a run that the store knows. */
function storedTurn(place: TurnPlace, held: HeldSession): OpenTurn {
  const { agentId, userId, sessionId, store, runId, approvalMs, interrupt } = place
  const key = keyOf(place, runId)
  const owner = { agentId, userId, ...(sessionId === undefined ? {} : { sessionId }) }
  const { seeded } = held
  let { history, state, version, entry, release } = held
  let suspending: Promise<void> | undefined
  let storing: Promise<unknown> | undefined

  /** The first append after a resume removes the snapshot; the entry stays. */
  const stateToStore = (isChanged: boolean): JSONValue | undefined => {
    if (!entry) return isChanged ? state : undefined
    if (!isChanged && entry.waiting === undefined) return undefined
    const { waiting: _, ...rest } = entry
    entry = rest
    return markState(state, entry)
  }

  const suspend = async (waiting: JSONValue, usage: Usage): Promise<void> => {
    // A run that was stopped may still be storing something, which may change the state too.
    await storing
    // The version moved when the run began, and moves when it ends.
    const suspended = { ...owner, seeded, version: version + 2, parkedAt: Date.now(), waiting }
    await store.append(runId, [], markState(state, suspended))
    await store.end(runId, 'waiting', usage)
    forgetUnendedRun(store, key, runId)
  }

  return {
    get history() {
      return history
    },
    get state() {
      return state
    },
    async append(messages, newState) {
      // A message behind pending calls would separate them from their results: the store refuses it after `suspend`.
      await suspending?.catch(() => {})
      const isChanged = newState !== undefined
      if (isChanged) state = newState
      const stored = store.append(runId, messages, stateToStore(isChanged))
      storing = Promise.allSettled([storing, stored])
      await stored
    },
    async suspend(snapshot, usage) {
      suspending = suspend(snapshot, usage)
      await suspending
      release()
      // Maintenance of the store, which the run does not wait for.
      void removeExpired(store, owner, approvalMs).catch(() => {})
    },
    async resume(signal) {
      const acquired = await acquireSuspended({ store, key, runId, signal, interrupt, onBusy: 'queue' })
      ;({ history, state, version, entry } = acquired.found)
      release = acquired.release
      return { hasMoved: acquired.found.hasMoved }
    },
    async end(status, usage) {
      await suspending?.catch(() => {})
      await store.end(runId, status, usage)
      forgetUnendedRun(store, key, runId)
      // If the deletion fails, the run is deleted once it has expired.
      if (sessionId === undefined) await store.delete(key).catch(() => {})
    },
    release: () => release(),
  }
}

/** The turn of a run without a session: stored only when it is suspended. */
function unstoredTurn({ store, runId, seed, agentId, userId, approvalMs, interrupt }: NewTurn): OpenTurn {
  const place = { agentId, userId, store, runId, approvalMs, interrupt }
  let state: JSONValue | undefined
  let stored: OpenTurn | undefined

  const storeTurn = async (messages: readonly Message[]): Promise<OpenTurn> => {
    await store.begin(keyOf(place, runId), { runId, expectedVersion: 0, input: [...seed, ...messages] })
    return storedTurn(place, { history: seed, seeded: seed.length, state, version: 0, release() {} })
  }

  return {
    history: seed,
    get state() {
      return stored ? stored.state : state
    },
    async append(messages, newState) {
      if (stored) return stored.append(messages, newState)
      if (newState !== undefined) state = newState
    },
    async suspend(snapshot, usage, messages) {
      stored ??= await storeTurn(messages)
      await stored.suspend(snapshot, usage, messages)
    },
    async resume(signal) {
      if (!stored) throw notSuspended(runId)
      return stored.resume(signal)
    },
    async end(status, usage) {
      await stored?.end(status, usage)
    },
    release: () => stored?.release(),
  }
}
