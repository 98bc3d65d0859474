import type { StoredRun } from '../contracts/run-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue } from '../data/message.ts'
import type { SessionKey } from '../data/session-data.ts'
import { untilAborted } from '../util/async/abort.ts'
import { acquireSession, type Beginning, type SessionRequest, storedBeginning } from './acquire-session.ts'
import { failRecorded } from './end-event.ts'
import type { EventQueue } from './event-queue.ts'
import type { OpenedTurn } from './leave-turn.ts'
import { isRecorded } from './recorded-data.ts'
import { createRun, describeRun, type NewRecord, type RunStarter, takeOverRun } from './recorded-run.ts'
import { RecordedTurn } from './recorded-turn.ts'
import { cancelReplaced, turnsLeft } from './replaced-turns.ts'
import { settleUnanswered } from './settle-unanswered.ts'
import { storedTurn } from './stored-turn.ts'
import {
  acquireSuspended,
  alreadyResumed,
  approvalExpired,
  type EarlierDecision,
  endedOwner,
  entryOf,
  isExpired,
  keyOf,
  notSuspended,
  type ResumedRun,
  type SuspendedRun,
  storedState,
} from './suspended-runs.ts'
import type { NewTurn, OpenTurn, SessionAccess } from './turn.ts'
import { forgetUnendedRun } from './unended-runs.ts'
import { unstoredTurn } from './unstored-turn.ts'

/**
 * Acquires the session for one run, loads its history and stores the user's message.
 * It queues behind runs of this process, and waits up to 5 s for a run of another process.
 *
 * @throws AgentKitError `not-found` when `replaces` is no run of the session
 * @throws AgentKitError `session-busy` when the queue is full, when another process holds the session for longer, or
 *   when the session is held and `onBusy` is `reject`
 */
export async function openTurn(request: NewTurn): Promise<OpenTurn> {
  const {
    store,
    runId,
    key,
    seed,
    signal,
    replaces,
    isResumable = false,
    keepsEvents = isResumable,
    deadline,
  } = request
  if (keepsEvents && !store.runs) throw needsRuns()
  if (!key && !keepsEvents) return unstoredTurn(request)
  const place = key ?? keyOf(request, runId)
  const { runs } = store
  const session: SessionRequest = { ...request, key: place }
  if (request.settles && key) await settleUnanswered(session)
  let replacement = replaces === undefined ? undefined : { store, key: place, replaces, signal }
  // A run that has not begun leaves nothing to hide.
  if (replacement && !(await cancelReplaced(replacement))) replacement = undefined
  const { found, release } = await acquireSession(session, async (loaded) => {
    const left = replacement && (await turnsLeft(replacement, loaded))
    const messages = left?.messages ?? loaded?.messages ?? []
    const isKnown = messages.length > 0
    const input = isKnown ? [request.input] : [...seed, request.input]
    const found = {
      history: isKnown ? messages : seed,
      seeded: isKnown ? 0 : seed.length,
      state: left ? left.state : storedState(loaded?.state),
      version: loaded?.version ?? 0,
      position: input.length,
      heldAt: performance.now(),
    }
    const hidden = { replaces: replacement?.replaces }
    if (runs)
      return newRecord({ ...request, ...hidden, runs, key: place, input, seeded: found.seeded, isResumable }, found)
    return storedBeginning(session, loaded, { input, found, ...hidden })
  })
  if (runs)
    return new RecordedTurn(
      { ...session, runs },
      { ...found, attempt: 1, isResumable, deadline, since: runs.now() },
      release,
    )
  return storedTurn({ ...request, ...place }, { ...found, release })
}

/**
 * A stored run of this agent and user.
 * @param known the run, where it was just read
 * @returns `undefined` where the store does not record runs, or not this one
 */
export async function readRecorded(
  request: Pick<SessionAccess, 'store' | 'agentId' | 'runId' | 'signal'> & { userId?: string },
  known?: StoredRun,
): Promise<StoredRun | undefined> {
  const { store, agentId, runId, userId, signal } = request
  const stored = known ?? (store.runs && (await untilAborted(signal, store.runs.read(runId))))
  if (!stored || !isRecorded(stored)) return undefined
  const { record } = stored
  if (record.agentId !== agentId || (userId !== undefined && record.userId !== userId)) throw notSuspended(runId)
  return stored
}

/**
 * Takes a recorded run over: one that waits and of which an approval is decided, a lost one, one that is free, or
 * one that is queued.
 * @param starter how it begins, where it is queued
 * @throws AgentKitError `session-conflict` when it is not to be had, `session-busy`, `not-found`
 */
export async function continueTurn(
  request: Omit<SessionAccess, 'agentId' | 'approvalMs'> & { events?: EventQueue | undefined; settles?: boolean },
  known: StoredRun,
  starter?: RunStarter,
): Promise<OpenedTurn> {
  const { runs } = request.store
  if (!runs) throw needsRuns()
  const session = { ...request, runs, key: known.key }
  if (request.settles && known.attempt === 0) await settleUnanswered(session)
  const { found, release } = await takeOverRun(session, { ...starter, known })
  return { ...found, turn: new RecordedTurn(session, found, release) }
}

/** A run that stays suspended until its turn is resumed: as `continueTurn`, for a caller who has not decided yet. */
export async function attachTurn(
  request: Omit<SessionAccess, 'agentId' | 'approvalMs'>,
  stored: StoredRun,
): Promise<OpenedTurn> {
  const { store, signal } = request
  const { key } = stored
  if (!store.runs) throw needsRuns()
  const session = { ...request, runs: store.runs, key }
  const loaded = await untilAborted(signal, store.load(key))
  const found = { ...(await untilAborted(signal, describeRun(session, stored, loaded))), hasMoved: false }
  return { ...found, turn: new RecordedTurn(session, { ...found, isSuspended: true }, () => {}) }
}

/**
 * Resumes a suspended run by its id, in its own place of its session. Of several callers at once, one succeeds.
 *
 * @param request.userId the run's user; any user when absent
 * @param request.earlier returns the error where one of the decisions was made before
 * @throws AgentKitError `not-found` for a run of another agent or user, or one that is gone; `session-conflict` for one
 *   that was resumed already; `session-busy` as `openTurn`
 */
export async function resumeTurn(
  request: SessionAccess & { userId?: string; earlier?: EarlierDecision },
): Promise<ResumedRun & { turn: OpenTurn }> {
  const { store, agentId, runId, userId, signal, approvalMs, earlier } = request
  const known = await untilAborted(signal, store.find(runId))
  const owner = entryOf(known?.state)
  const whose = known ? owner : endedOwner(store, runId)
  if (whose?.agentId !== agentId || (userId !== undefined && whose.userId !== userId)) throw notSuspended(runId)
  if (known?.status !== 'waiting' || !owner) throw earlier?.() ?? alreadyResumed(runId)
  const key = keyOf(owner, runId)
  if (isExpired(owner, approvalMs)) {
    await endExpired({ ...request, key }, owner)
    const fix = 'Begin it again as a new run.'
    throw approvalExpired(runId, { approvalMs, requestedAt: owner.parkedAt, fix })
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

function newRecord<Found extends { version: number }>(record: NewRecord, found: Found): Beginning<Found> {
  const { runs, runId } = record
  const fail = (reason?: AgentKitError): Promise<void> => failRecorded(runs, { runId, attempt: 1, reason })
  const begin = async (): Promise<Found> => {
    await createRun(record, found.version)
    return found
  }
  return { begin, undo: fail, fail, isFinal: true }
}

function needsRuns(): AgentKitError {
  const message = 'A resumable run needs sessions on disk or Postgres, such as `sessions: "sessions.db"`.'
  return new AgentKitError('unsupported', message)
}
