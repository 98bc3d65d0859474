import type { SessionStore } from '../contracts/session-store.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { SessionKey } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import { untilAborted } from '../util/abort.ts'
import { keptTurn, type OpenTurn } from './open-turn.ts'
import type { OnBusy } from './session-line.ts'
import { claimWaiting, decidedAlready, entryOf, isExpired, keyOf, notWaiting } from './waiting-run.ts'

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
