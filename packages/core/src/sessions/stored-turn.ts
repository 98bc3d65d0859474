import type { SessionStore } from '../contracts/session-store.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'
import { acquireSuspended, deleteEnded, keyOf, markState, removeExpired, type SuspendedRun } from './suspended-runs.ts'
import type { Changing, OpenTurn } from './turn.ts'
import { forgetUnendedRun } from './unended-runs.ts'

/** Whose run it is, and where it is stored. */
type TurnPlace = Pick<SuspendedRun, 'agentId' | 'userId' | 'sessionId'> & {
  store: SessionStore
  runId: string
  /** How long approvals can be decided, in milliseconds. */
  approvalMs: number
  /** Called when a later run ends this one, while it holds its session or waits for it. */
  interrupt(reason: AgentKitError): void
}

type HeldSession = {
  history: readonly Message[]
  /** How many of the run's first messages are the conversation before it. */
  seeded: number
  state: JSONValue | undefined
  /** The version of the session when the run began or was resumed. */
  version: number
  /** Of a run that was suspended before. */
  entry?: SuspendedRun
  /** Whether it is the last of its session; see `OpenTurn`. */
  isLast?: boolean
  release(): void
}

/** The turn of a run in a store without `runs`. */
export function storedTurn(place: TurnPlace, held: HeldSession): OpenTurn {
  const { agentId, userId, sessionId, store, runId, approvalMs, interrupt } = place
  const key = keyOf(place, runId)
  const owner = { agentId, userId, ...(sessionId === undefined ? {} : { sessionId }) }
  const { seeded } = held
  let { version, entry, release } = held
  let suspending: Promise<void> | undefined
  let storing: Promise<unknown> | undefined

  /** The first append after a resume removes the snapshot; the entry stays. */
  const stateToStore = (isChanged: boolean): JSONValue | undefined => {
    if (!entry) return isChanged ? turn.state : undefined
    if (!isChanged && entry.waiting === undefined) return undefined
    const { waiting: _, ...rest } = entry
    entry = rest
    return markState(turn.state, entry)
  }

  const suspend = async (waiting: JSONValue, usage: Usage): Promise<void> => {
    // A run that was stopped may still be storing something, which may change the state too.
    await storing
    // The version moved when the run began, and moves when it ends.
    const suspended = { ...owner, seeded, version: version + 2, parkedAt: Date.now(), waiting }
    await store.append(runId, [], markState(turn.state, suspended))
    await store.end(runId, 'waiting', usage)
    forgetUnendedRun(store, key, runId)
  }

  const turn: Changing<OpenTurn> = {
    history: held.history,
    state: held.state,
    isLast: held.isLast ?? true,
    async append(messages, newState) {
      // A message behind pending calls would separate them from their results: the store refuses it after `suspend`.
      await suspending?.catch(() => {})
      const isChanged = newState !== undefined
      if (isChanged) turn.state = newState
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
      return undefined
    },
    async resume(signal) {
      const acquired = await acquireSuspended({ store, key, runId, signal, interrupt, onBusy: 'queue' })
      const { found } = acquired
      ;({ version, entry } = found)
      Object.assign(turn, { history: found.history, state: found.state, isLast: found.isLast })
      release = acquired.release
      return { hasMoved: found.hasMoved }
    },
    async end(status, usage, { messages = [] } = {}) {
      await suspending?.catch(() => {})
      if (messages.length > 0) await store.append(runId, messages).catch(() => {})
      await store.end(runId, status, usage)
      forgetUnendedRun(store, key, runId)
      if (sessionId === undefined) await deleteEnded(store, key, { runId, agentId, userId })
    },
    release: () => release(),
  }
  return turn
}
