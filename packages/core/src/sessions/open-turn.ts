import type { SessionStore } from '../contracts/session-store.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { SessionKey } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import { untilAborted } from '../util/abort.ts'
import { claimSession, forgetLeftover } from './acquire-session.ts'
import type { OnBusy } from './session-queue.ts'
import {
  claimWaiting,
  decidedAlready,
  entryOf,
  isExpired,
  keyOf,
  markState,
  notWaiting,
  removeExpired,
  stateOf,
  type WaitingEntry,
} from './suspended-runs.ts'

/** A run's hold on its session, from `begin` to `end`. */
export type OpenTurn = {
  /** What the model may see of the conversation before this run. */
  readonly history: readonly Message[]
  /** The state of the session, as it was loaded or appended last. */
  readonly state: JSONValue | undefined
  /** @param state the whole new state of the session; absent, it stays */
  append(messages: Message[], state?: JSONValue): Promise<void>
  /**
   * Stores the run as waiting, with what it needs to go on, and lets others have the session.
   * @param messages all of the run's so far; a run without a session is stored only now
   */
  park(waiting: JSONValue, usage: Usage, messages: readonly Message[]): Promise<void>
  /**
   * Goes on with a parked run, in line again: `history` and `state` are fresh afterwards.
   * @returns whether other runs began or ended meanwhile, so that `history` may be another one
   * @throws AgentKitError `session-conflict` when somebody else has gone on with it, `not-found` when it is gone
   */
  reopen(signal: AbortSignal): Promise<{ moved: boolean }>
  end(status: 'done' | 'failed', usage: Usage): Promise<void>
  /** Lets the next run of this session begin; after `end`, or instead of it when the store fails. */
  release(): void
}

type TurnRequest = {
  store: SessionStore
  /** Absent: nothing is remembered, unless the run has to wait. */
  key: SessionKey | undefined
  agentId: string
  userId: string
  runId: string
  input: Message
  /** Seeds a session that has no history. */
  seed: readonly Message[]
  signal: AbortSignal
  onBusy: OnBusy
  /** How a run that comes later ends this one, while it holds its session or waits for it. */
  interrupt(reason: AgentKitError): void
}

/**
 * Claims the session for one run, loads its history and journals the user's message.
 * Runs of this process wait in line; a run of another process is waited for up to 5 s.
 *
 * @throws AgentKitError `session-busy` when the line is full, when another process holds the session for longer, or
 *   when anybody holds it and `onBusy` is `reject`
 */
export async function openTurn(request: TurnRequest): Promise<OpenTurn> {
  const { key, input, seed } = request
  if (!key) return forgetfulTurn(request)
  const { found, release } = await claimSession({ ...request, key }, async (session) => {
    const known = session !== undefined && session.messages.length > 0
    return {
      input: known ? [input] : [...seed, input],
      undo: { status: 'failed' },
      found: {
        history: known ? session.messages : seed,
        seeded: known ? 0 : seed.length,
        state: stateOf(session?.state),
        version: session?.version ?? 0,
      },
    }
  })
  return keptTurn({ ...request, ...key }, { ...found, release })
}

/** Whose run it is, and where it is kept. */
type Place = Pick<WaitingEntry, 'agentId' | 'userId' | 'sessionId'> & {
  store: SessionStore
  runId: string
  interrupt(reason: AgentKitError): void
}

type Hold = {
  history: readonly Message[]
  /** How many of the messages that the run journaled first are the conversation before it. */
  seeded: number
  state: JSONValue | undefined
  /** Of the session, when the run began or went on. */
  version: number
  /** Of a run that has waited. */
  entry?: WaitingEntry
  release(): void
}

/** The turn of a run that the store knows. */
export function keptTurn(place: Place, hold: Hold): OpenTurn {
  const { agentId, userId, sessionId, store, runId, interrupt } = place
  const key = keyOf(place, runId)
  const owner = { agentId, userId, ...(sessionId === undefined ? {} : { sessionId }) }
  const { seeded } = hold
  let { history, state, version, entry, release } = hold
  let parking: Promise<void> | undefined
  let storing: Promise<unknown> | undefined

  /** What the run waited with goes with the first thing that it stores again; that it has waited stays known. */
  const stateToStore = (changed: boolean): JSONValue | undefined => {
    if (!entry) return changed ? state : undefined
    if (!changed && entry.waiting === undefined) return undefined
    const { waiting: _, ...rest } = entry
    entry = rest
    return markState(state, entry)
  }

  /**
   * What is still said of a run that is stopped meanwhile comes after this, and is refused: behind its open calls, it
   * would keep their results from them.
   */
  const park = async (waiting: JSONValue, usage: Usage): Promise<void> => {
    // A run that was stopped has not waited for what it was storing, which may change the state too.
    await storing
    // It has moved once since the run began, and will when it ends.
    const parked = { ...owner, seeded, version: version + 2, parkedAt: Date.now(), waiting }
    await store.append(runId, [], markState(state, parked))
    await store.end(runId, 'waiting', usage)
    forgetLeftover(store, key, runId)
  }

  return {
    get history() {
      return history
    },
    get state() {
      return state
    },
    async append(messages, newState) {
      await parking?.catch(() => {})
      const changed = newState !== undefined
      if (changed) state = newState
      const stored = store.append(runId, messages, stateToStore(changed))
      storing = Promise.allSettled([storing, stored])
      await stored
    },
    async park(waiting, usage) {
      parking = park(waiting, usage)
      await parking
      release()
      // For the sake of the store, not of this run.
      void removeExpired(store, owner).catch(() => {})
    },
    async reopen(signal) {
      const held = await claimWaiting({ store, key, runId, signal, interrupt, onBusy: 'queue' })
      ;({ history, state, version, entry } = held.found)
      release = held.release
      return { moved: held.found.moved }
    },
    async end(status, usage) {
      await parking?.catch(() => {})
      await store.end(runId, status, usage)
      forgetLeftover(store, key, runId)
      // What remains of it, should that fail, is removed once it has expired.
      if (sessionId === undefined) await store.delete(key).catch(() => {})
    },
    release: () => release(),
  }
}

/** The turn of a run without a session: nothing of it is stored, until it has to wait. */
function forgetfulTurn({ store, runId, seed, agentId, userId, interrupt }: TurnRequest): OpenTurn {
  const place = { agentId, userId, store, runId, interrupt }
  let state: JSONValue | undefined
  let kept: OpenTurn | undefined

  const keep = async (messages: readonly Message[]): Promise<OpenTurn> => {
    await store.begin(keyOf(place, runId), { runId, expectedVersion: 0, input: [...seed, ...messages] })
    return keptTurn(place, { history: seed, seeded: seed.length, state, version: 0, release() {} })
  }

  return {
    history: seed,
    get state() {
      return kept ? kept.state : state
    },
    async append(messages, newState) {
      if (kept) return kept.append(messages, newState)
      if (newState !== undefined) state = newState
    },
    async park(waiting, usage, messages) {
      kept ??= await keep(messages)
      await kept.park(waiting, usage, messages)
    },
    async reopen(signal) {
      if (!kept) throw notWaiting(runId)
      return kept.reopen(signal)
    },
    async end(status, usage) {
      await kept?.end(status, usage)
    },
    release: () => kept?.release(),
  }
}

type ReopenRequest = {
  store: SessionStore
  agentId: string
  runId: string
  /** Whose run it must be; anybody's when absent. */
  userId?: string
  signal: AbortSignal
  onBusy: OnBusy
  /** How a run that comes later ends this one, while it holds its session or waits for it. */
  interrupt(reason: AgentKitError): void
}

/** A run that goes on, also in another process than the one it began in. */
export type ReopenedTurn = {
  /** Its `history` is the conversation before the run. */
  turn: OpenTurn
  /** Of the user's session; absent when the run has none. */
  key?: SessionKey
  userId: string
  /** What the run had journaled, its input first, results in the order of their calls; calls that wait have none yet. */
  messages: Message[]
  /** What `park` stored. */
  waiting: JSONValue
  usage: Usage
  /** Whether other runs of the session began or ended meanwhile. */
  moved: boolean
}

/**
 * Goes on with a waiting run by its id: in line with the runs of its session, in its own place. Of several who do it
 * at once one may.
 *
 * @throws AgentKitError `not-found` for a run that is not this agent's and user's or does not wait any more because it
 *   is gone, `session-conflict` for one that somebody has gone on with, `session-busy` as `openTurn`
 */
export async function reopenTurn(request: ReopenRequest): Promise<ReopenedTurn> {
  const { store, agentId, runId, userId, signal, onBusy, interrupt } = request
  const known = await untilAborted(signal, store.find(runId))
  const owner = entryOf(known?.state)
  if (!known || !owner || owner.agentId !== agentId) throw notWaiting(runId)
  if (userId !== undefined && owner.userId !== userId) throw notWaiting(runId)
  if (known.status !== 'waiting') throw decidedAlready(runId)
  const key = keyOf(owner, runId)
  if (isExpired(owner)) {
    await untilAborted(signal, store.delete(key)).catch(() => {})
    throw notWaiting(runId)
  }
  const { found, release } = await claimWaiting({ store, key, runId, signal, onBusy, interrupt })
  const { messages, usage, moved, entry } = found
  return {
    turn: keptTurn({ ...owner, store, runId, interrupt }, { ...found, seeded: entry.seeded, release }),
    ...(owner.sessionId === undefined ? {} : { key }),
    userId: owner.userId,
    messages,
    waiting: entry.waiting ?? null,
    usage,
    moved,
  }
}
