import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { SessionKey } from '../data/session-data.ts'
import { inCallOrder, visibleMessages } from '../data/transcript.ts'
import type { Usage } from '../data/usage.ts'
import { untilAborted } from '../util/async/abort.ts'
import { type AcquiredSession, acquireSession, type SessionRequest, storedBeginning } from './acquire-session.ts'
import { perStore, setNewest } from './session-queue.ts'

/** What is stored of a suspended or resumed run beside the state of its session. The field names are stored, too. */
export type SuspendedRun = {
  agentId: string
  userId: string
  /** Absent for a run without a session, which is stored in a session of its own. */
  sessionId?: string
  /** How many of the run's first messages are the conversation before it. */
  seeded: number
  /** The version of the session once the run was suspended. */
  version: number
  /** Milliseconds since 1970. */
  parkedAt: number
  /** The snapshot that resumes the run; absent once it was resumed. */
  waiting?: JSONValue
}

/** A suspended run that continues. */
export type ResumedRun = {
  /** The conversation before the run, and what happened in the session meanwhile. */
  history: Message[]
  /** What the run has stored, results in the order of their calls; pending calls have none yet. */
  messages: Message[]
  entry: SuspendedRun
  usage: Usage
  /** The state of the session. */
  state: JSONValue | undefined
  /** The version of the session. */
  version: number
  /** Whether other runs of the session began or ended meanwhile. */
  hasMoved: boolean
  /** Whether no other run of the session began meanwhile. */
  isLast: boolean
}

/**
 * Acquires the session of a suspended run, which continues in its own place of the session.
 * @param request.earlier returns the error where one of the decisions was made before
 * @throws AgentKitError `session-conflict` when it is not suspended any more or was decided before, `not-found` when it is
 *   gone, `session-busy`
 */
export function acquireSuspended(
  request: SessionRequest & { earlier?: EarlierDecision },
): Promise<AcquiredSession<ResumedRun>> {
  const { store, key, runId, signal, earlier } = request
  return acquireSession(request, async (session) => {
    const turns = await untilAborted(signal, store.turns(key))
    const index = turns.findIndex((turn) => turn.runId === runId)
    const own = turns[index]
    const entry = entryOf(own?.state)
    const before = earlier?.()
    if (before) throw before
    if (!session || !own || !entry) throw endedOwner(store, runId) ? alreadyResumed(runId) : notSuspended(runId)
    if (own.status !== 'waiting') throw alreadyResumed(runId)
    // Without its snapshot a run cannot be resumed.
    if (entry.waiting === undefined) throw notSuspended(runId)
    const { usage = {} } = own
    // Not `session.messages`, which include what other runs see of this one.
    const others = turns.filter((turn) => turn !== own).flatMap(visibleMessages)
    const found: ResumedRun = {
      history: [...own.messages.slice(0, entry.seeded), ...others],
      messages: inCallOrder(own.messages.slice(entry.seeded)),
      entry,
      usage,
      state: storedState(session.state),
      version: session.version,
      hasMoved: session.version !== entry.version,
      isLast: index === turns.length - 1,
    }
    return storedBeginning(request, session, { input: [], undone: usage, found })
  })
}

/** Returns the error where one of the decisions was made before, as far as this process knows by then. */
export type EarlierDecision = () => AgentKitError | undefined

/** The agent and the user of each run without a session that this process has resumed and ended: the store has it no more. */
const endedRuns = perStore<Pick<SuspendedRun, 'agentId' | 'userId'>>()

export function endedOwner(store: SessionStore, runId: string): Pick<SuspendedRun, 'agentId' | 'userId'> | undefined {
  return endedRuns(store).get(runId)
}

/** Deletes a run without a session that has ended. If that fails, the run is deleted once it has expired. */
export async function deleteEnded(
  store: SessionStore,
  key: SessionKey,
  { runId, agentId, userId }: { runId: string; agentId: string; userId: string },
): Promise<void> {
  setNewest(endedRuns(store), runId, { agentId, userId })
  await store.delete(key).catch(() => {})
}

/** Where a suspended run is stored: in its session, or in one of its own that no list of sessions shows. */
export function keyOf(
  { agentId, userId, sessionId }: Pick<SuspendedRun, 'agentId' | 'userId' | 'sessionId'>,
  runId: string,
): SessionKey {
  return sessionId === undefined
    ? { agentId: suspendedAgentId(agentId), userId, sessionId: runId }
    : { agentId, userId, sessionId }
}

/** Ids of agents have no colon. */
function suspendedAgentId(agentId: string): string {
  return `${agentId}:waiting`
}

/** @param approvalMs how long approvals can be decided */
export function isExpired({ parkedAt }: SuspendedRun, approvalMs: number): boolean {
  return Date.now() - parkedAt > approvalMs
}

/** Deletes a user's expired runs without a session. */
export async function removeExpired(
  store: SessionStore,
  owner: { agentId: string; userId: string },
  approvalMs: number,
): Promise<void> {
  const hidden = { agentId: suspendedAgentId(owner.agentId), userId: owner.userId }
  for (const { sessionId, updatedAt } of await store.list(hidden)) {
    if (Date.now() - Date.parse(updatedAt) > approvalMs) await store.delete({ ...hidden, sessionId })
  }
}

export function notSuspended(runId: string): AgentKitError {
  const message =
    `No run ${runId} of this agent and user is suspended. It may have ended, expired, or been deleted with its ` +
    'session.'
  return new AgentKitError('not-found', message, { runId })
}

/**
 * The error of a run whose approvals were not decided in time.
 * @param requestedAt in milliseconds since 1970
 */
export function approvalExpired(
  runId: string,
  { approvalMs, requestedAt, fix }: { approvalMs: number; requestedAt: number; fix: string },
): AgentKitError {
  const at = new Date(requestedAt + approvalMs).toISOString()
  const days = approvalMs / 86_400_000
  const message = `The approvals of the run ${runId} expired at ${at}: \`approvalDays\` of its agent is ${days}. ${fix}`
  return new AgentKitError('approval', message, { runId })
}

export function alreadyResumed(runId: string): AgentKitError {
  const message = `The run ${runId} is not suspended any more: it was resumed, cancelled or replaced already.`
  return new AgentKitError('session-conflict', message, { runId })
}

const entryName = '@agentkit/waiting'

/** A session's state as it is stored with an entry. */
type MarkedState = { [entryName]: SuspendedRun; state?: JSONValue }

export function markState(state: JSONValue | undefined, entry: SuspendedRun): JSONValue {
  const marked: MarkedState = { [entryName]: entry, ...(state === undefined ? {} : { state }) }
  return marked
}

/** The state of a session, without an entry. */
export function storedState(stored: JSONValue | undefined): JSONValue | undefined {
  return isMarked(stored) ? stored.state : stored
}

export function entryOf(stored: JSONValue | undefined): SuspendedRun | undefined {
  return isMarked(stored) ? stored[entryName] : undefined
}

/** The name is reserved, so what it holds is an entry. */
function isMarked(stored: JSONValue | undefined): stored is MarkedState {
  return typeof stored === 'object' && stored !== null && entryName in stored
}
