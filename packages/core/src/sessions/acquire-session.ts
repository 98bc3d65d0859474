import type { StoredRun } from '../contracts/run-store.ts'
import { type AgentKitError, abortError } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import type { Session } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { sleep, untilAborted } from '../util/async/abort.ts'
import { type EndOfTree, withEndEvent } from './end-event.ts'
import { holdsSession } from './recorded-data.ts'
import { enqueue, type QueueRequest, sessionBusy } from './session-queue.ts'
import {
  endUnendedRun,
  forgetUnendedRun,
  isConflict,
  leaveUnendedRun,
  noteUnendedRun,
  type UnendedRun,
} from './unended-runs.ts'

export type SessionRequest = QueueRequest & {
  /** The session, where it was just read. */
  known?: Session
  /** How a run ends that this one interrupts. */
  endOfTree?: EndOfTree
}

/** How a run begins in its session, as the session was loaded. */
export type Beginning<Found> = {
  /** @throws AgentKitError `session-conflict`; retryable when the session is held or has moved on */
  begin(): Promise<Found>
  /** Ends a run that begins after its caller was aborted. @param reason why; without one, the store has failed */
  undo(reason?: AgentKitError): Promise<unknown>
  /** Ends a run whose end could not be stored. */
  fail(): Promise<unknown>
  /** Whether a conflict that is not retryable ends the attempts. */
  isFinal?: true
}

/** A session that a run holds. */
export type AcquiredSession<Found> = {
  found: Found
  /** Leaves the run, and lets the next one of this process acquire the session. May be called again. */
  release(): void
}

/**
 * Acquires a session for one run: by a queue among the runs of this process, by version among processes.
 *
 * @param prepare decides how to begin; called again whenever the session has moved on
 * @throws AgentKitError `session-busy` when other runs hold the session for too long, and what `prepare` throws
 */
export async function acquireSession<Found>(
  request: SessionRequest,
  prepare: (session: Session | undefined) => Promise<Beginning<Found>>,
): Promise<AcquiredSession<Found>> {
  const { store, key, runId, signal } = request
  const release = await enqueue(request)
  try {
    await untilAborted(signal, endUnendedRun(store, key))
    const found = await begin(request, prepare)
    let isReleased = false
    return {
      found,
      release() {
        // Later, a caller of `resume` may have acquired the session for the same run.
        if (!isReleased) leaveUnendedRun(store, key, { runId })
        isReleased = true
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

async function begin<Found>(
  request: SessionRequest,
  prepare: (session: Session | undefined) => Promise<Beginning<Found>>,
): Promise<Found> {
  const { store, key, signal, onBusy } = request
  const startedAt = performance.now()
  let mostMs: number = limits.sessionWaitMs
  let wasOver = false
  let refusedVersion: number | undefined
  let heldUntil = Number.NEGATIVE_INFINITY
  let { known } = request
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 250)) {
    const session = known ?? (await untilAborted(signal, store.load(key)))
    // The session that was loaded is outdated when this is tried again.
    known = undefined
    const version = session?.version ?? 0
    const begun = await tryToBegin(request, await prepare(session))
    if ('found' in begun) return begun.found
    // Refused twice at one version: the session did not move on between load and begin, another run holds it.
    const isHeld = refusedVersion === version
    if (onBusy === 'interrupt' && isHeld) await endHolder(request)
    const waitedMs = performance.now() - startedAt
    // A run that is continued after a crash is waited for as one of this process.
    if (waitedMs > mostMs && (await isHeldByResumable(request))) mostMs = limits.resumableWaitMs
    // A process that was frozen meanwhile finds a session that has moved on, and may be free: it tries once more.
    const isOver = waitedMs > mostMs
    if ((isOver && (isHeld || wasOver)) || (isHeld && onBusy === 'reject')) throw sessionBusy(begun.conflict)
    wasOver = isOver
    refusedVersion = version
    if (onBusy !== 'reject' && performance.now() > heldUntil) {
      await holdQueued(request)
      heldUntil = performance.now() + limits.directTurnMs / 2
    }
    if (onBusy !== 'reject') {
      const endWait = request.waits?.()
      await sleep(waitMs * (0.5 + Math.random() / 2), signal).finally(endWait)
    }
  }
}

/** Queued runs, which workers of other processes begin, let this one go first. Without it, it competes with them. */
async function holdQueued({ store, key, signal }: SessionRequest): Promise<void> {
  const { background } = store.runs ?? {}
  if (background?.holdQueued)
    await untilAborted(signal, background.holdQueued(key, limits.directTurnMs)).catch(() => {})
}

/** The stored run that holds a session. Others may run too: they are decided, and wait for the session. */
async function holderOf({ store, key, signal }: SessionRequest): Promise<StoredRun | undefined> {
  const { runs } = store
  if (!runs) return undefined
  const { agentId, userId, sessionId } = key
  const filter = { sessionId, status: 'running', limit: mostRunning } as const
  for (const { runId } of await untilAborted(signal, runs.list({ agentId, userId }, filter))) {
    const stored = await untilAborted(signal, runs.read(runId))
    if (stored && (holdsSession(stored) || !stored.isFree)) return stored
  }
  return undefined
}

const mostRunning = 100

async function isHeldByResumable(request: SessionRequest): Promise<boolean> {
  return (await holderOf(request))?.isResumable === true
}

/** Ends the run that holds the session if no process has it. A background run ends wherever it is, as where one is enqueued. */
async function endHolder(request: SessionRequest): Promise<void> {
  const { signal, endOfTree = async (...given) => withEndEvent(...given) } = request
  const { runs } = request.store
  const holder = await holderOf(request)
  if (!runs || !holder) return
  const { runId, agentId } = holder.record
  const orphans = holder.isBackground ? [{ runId }] : await untilAborted(signal, runs.orphans([agentId]))
  if (!orphans.some((orphan) => orphan.runId === runId)) return
  const error = { code: 'aborted', message: 'A newer message interrupted the run.', retryable: false } as const
  const ending = await untilAborted(signal, endOfTree(holder, { status: 'failed', finishReason: 'aborted', error }))
  await untilAborted(signal, runs.cancel(runId, ending))
}

/** @returns the conflict when another run was faster or holds the session */
async function tryToBegin<Found>(
  { store, key, runId, signal }: SessionRequest,
  beginning: Beginning<Found>,
): Promise<{ found: Found } | { conflict: AgentKitError }> {
  const { undo, fail } = beginning
  const unended: UnendedRun = { runId, end: undo }
  noteUnendedRun(store, key, unended)
  const begun = (async () => beginning.begin())()
  try {
    const found = await untilAborted(signal, begun)
    unended.end = fail
    return { found }
  } catch (error) {
    if (isConflict(error)) {
      forgetUnendedRun(store, key, runId)
      if (error.retryable || !beginning.isFinal) return { conflict: error }
      throw error
    }
    // A run that begins after an abort is ended at once, as other processes may wait for the session.
    const stop = (): Promise<unknown> => undo(abortError(signal))
    if (signal.aborted) unended.end = stop
    begun
      .then(stop)
      .then(() => forgetUnendedRun(store, key, runId))
      .catch(() => leaveUnendedRun(store, key, { runId, noted: unended }))
    throw error
  }
}

/** Begins a run by the store's own methods. */
export function storedBeginning<Found>(
  { store, key, runId }: SessionRequest,
  session: Session | undefined,
  { input, undone, found, replaces }: { input: Message[]; undone?: Usage; found: Found; replaces?: string | undefined },
): Beginning<Found> {
  return {
    async begin() {
      const replacement = replaces === undefined ? {} : { replaces }
      await store.begin(key, { runId, expectedVersion: session?.version ?? 0, input, ...replacement })
      return found
    },
    undo: () => (undone ? store.end(runId, 'waiting', undone) : store.end(runId, 'failed')),
    fail: () => store.end(runId, 'failed'),
  }
}
