import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { SessionKey } from '../data/session-data.ts'
import { inCallOrder, visibleMessages } from '../data/transcript.ts'
import type { Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { untilAborted } from '../util/abort.ts'
import { type Claim, claimSession, type Held } from './acquire-session.ts'

/** What is kept of a run that waits, or has waited. It stands beside the state of its session. */
export type WaitingEntry = {
  agentId: string
  userId: string
  /** Absent for a run without a session, which waits in a lane of its own. */
  sessionId?: string
  /** How many of the messages that the run journaled first are the conversation before it. */
  seeded: number
  /** That of the session once the run waited. */
  version: number
  /** Milliseconds since 1970. */
  parkedAt: number
  /** What the run needs to go on; absent once it has. */
  waiting?: JSONValue
}

/** A run that waited and goes on. */
export type WokenRun = {
  /** What the model may see of the conversation before the run. */
  history: Message[]
  /** What the run has journaled, results in the order of their calls; calls that wait have none yet. */
  messages: Message[]
  entry: WaitingEntry
  usage: Usage
  /** That of the session. */
  state: JSONValue | undefined
  version: number
  /** Whether other runs of the session began or ended meanwhile. */
  moved: boolean
}

/**
 * Claims the session of a waiting run, and has the run go on in its own place.
 * @throws AgentKitError `session-conflict` when it waits no more, `not-found` when it is gone, `session-busy`
 */
export function claimWaiting(claim: Claim): Promise<Held<WokenRun>> {
  const { store, key, runId, signal } = claim
  return claimSession(claim, async (session) => {
    const turns = await untilAborted(signal, store.turns(key))
    const index = turns.findIndex((turn) => turn.runId === runId)
    const own = turns[index]
    const entry = entryOf(own?.state)
    if (!session || !own || !entry) throw notWaiting(runId)
    if (own.status !== 'waiting') throw decidedAlready(runId)
    // Without what it waited with nobody can go on with it.
    if (entry.waiting === undefined) throw notWaiting(runId)
    const { usage = {} } = own
    // Not `session.messages`: they hold what others see of this run, and what came after it.
    const before = turns.slice(0, index).flatMap(visibleMessages)
    const found: WokenRun = {
      history: [...before, ...own.messages.slice(0, entry.seeded)],
      messages: inCallOrder(own.messages.slice(entry.seeded)),
      entry,
      usage,
      state: stateOf(session.state),
      version: session.version,
      moved: session.version !== entry.version,
    }
    return { input: [], undo: { status: 'waiting', usage }, found }
  })
}

/** Where a waiting run is kept: in its session, or in a lane that is no session of the agent and shows in no list. */
export function keyOf(
  { agentId, userId, sessionId }: Pick<WaitingEntry, 'agentId' | 'userId' | 'sessionId'>,
  runId: string,
): SessionKey {
  return sessionId === undefined
    ? { agentId: laneOf(agentId), userId, sessionId: runId }
    : { agentId, userId, sessionId }
}

/** Ids of agents have no colon. */
function laneOf(agentId: string): string {
  return `${agentId}:waiting`
}

/** Runs in sessions wait for as long as their session is there. */
export function isExpired({ sessionId, parkedAt }: WaitingEntry): boolean {
  return sessionId === undefined && Date.now() - parkedAt > limits.approvalMs
}

/** Removes a user's runs without a session that have waited for too long. */
export async function removeExpired(store: SessionStore, owner: { agentId: string; userId: string }): Promise<void> {
  const lane = { agentId: laneOf(owner.agentId), userId: owner.userId }
  for (const { sessionId, updatedAt } of await store.list(lane)) {
    if (Date.now() - Date.parse(updatedAt) > limits.approvalMs) await store.delete({ ...lane, sessionId })
  }
}

export function notWaiting(runId: string): AgentKitError {
  const message =
    `No run ${runId} of this agent and user waits. It may have ended, been deleted with its session, or waited for ` +
    'too long: without a session a run waits for 24 hours.'
  return new AgentKitError('not-found', message, { runId })
}

export function decidedAlready(runId: string): AgentKitError {
  return new AgentKitError('session-conflict', `The run ${runId} waits no more: it has been decided already.`, {
    runId,
  })
}

const entryName = '@agentkit/waiting'

/** A session's state as it is stored with an entry. */
type MarkedState = { [entryName]: WaitingEntry; state?: JSONValue }

export function markState(state: JSONValue | undefined, entry: WaitingEntry): JSONValue {
  const marked: MarkedState = { [entryName]: entry, ...(state === undefined ? {} : { state }) }
  return marked
}

/** The state of a session, without an entry. */
export function stateOf(stored: JSONValue | undefined): JSONValue | undefined {
  return isMarked(stored) ? stored.state : stored
}

export function entryOf(stored: JSONValue | undefined): WaitingEntry | undefined {
  return isMarked(stored) ? stored[entryName] : undefined
}

/** Nobody else writes that name, so what stands under it is an entry. */
function isMarked(stored: JSONValue | undefined): stored is MarkedState {
  return typeof stored === 'object' && stored !== null && entryName in stored
}
