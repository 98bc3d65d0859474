import type { SessionStore } from '../contracts/session-store.ts'
import { type AgentKitError, isAgentKitError } from '../data/errors.ts'
import type { SessionKey } from '../data/session-data.ts'
import { limits } from '../limits.ts'
import { keyText, perStore } from './session-queue.ts'

/** A run of this process whose end, or release, is not stored yet. */
export type UnendedRun = {
  runId: string
  end(): Promise<unknown>
  /** When this process has left it, by `performance.now()`. */
  leftAt?: number
  /** Resolves once it has ended, or is not tried any more. */
  settled?: PromiseWithResolvers<void>
}

/** By session. */
const unendedRuns = perStore<UnendedRun>()

/** The stores whose runs are ended later: each has one timer, or is asked. */
const endingLater = new WeakSet<SessionStore>()

/** Notes a run before it begins: a store may begin it and fail to report it. */
export function noteUnendedRun(store: SessionStore, key: SessionKey, unended: UnendedRun): void {
  unendedRuns(store).get(keyText(key))?.settled?.resolve()
  unendedRuns(store).set(keyText(key), unended)
}

/** Ends the run that this process has left in a session: before the next one begins. */
export async function endUnendedRun(store: SessionStore, key: SessionKey): Promise<void> {
  const unended = unendedRuns(store).get(keyText(key))
  if (unended) await endNow(store, keyText(key), unended)
}

/** Called once the end of a run is stored. */
export function forgetUnendedRun(store: SessionStore, key: SessionKey, runId: string): void {
  const unended = unendedRuns(store).get(keyText(key))
  // A later run may hold the session by now.
  if (unended?.runId === runId) forget(store, keyText(key), unended)
}

/**
 * Called when this process leaves a run. If its end is not stored, that is tried again until the store has it, or another
 * process has the run: other processes take this one for alive, and wait for the run.
 * @param left.end in place of that with which it was noted
 * @param left.noted nothing is left where the run was noted again since
 */
export function leaveUnendedRun(
  store: SessionStore,
  key: SessionKey,
  { runId, end, noted }: { runId: string; end?: UnendedRun['end']; noted?: UnendedRun },
): void {
  const unended = unendedRuns(store).get(keyText(key))
  if (unended?.runId !== runId || (noted && noted !== unended)) return
  if (end) unended.end = end
  unended.leftAt ??= performance.now()
  endLater(store, limits.endAgainMs)
}

/** Resolves once the end of a run of this process is stored, or is not tried any more. */
export async function whenEnded(store: SessionStore, runId: string): Promise<void> {
  const unended = [...unendedRuns(store).values()].find((one) => one.runId === runId)
  if (!unended) return
  unended.settled ??= Promise.withResolvers()
  await unended.settled.promise
}

function endLater(store: SessionStore, waitMs: number): void {
  if (endingLater.has(store)) return
  endingLater.add(store)
  const timer = setTimeout(() => void endAll(store, waitMs), waitMs)
  // A process that ends leaves its runs to others. Outside of Node, timers are numbers.
  if (typeof timer === 'object') timer.unref()
}

async function endAll(store: SessionStore, waitedMs: number): Promise<void> {
  for (const [session, unended] of leftRuns(store).filter(isTried)) {
    // Ended meanwhile, by the next run of the session.
    if (unendedRuns(store).get(session) === unended) await endNow(store, session, unended).catch(() => {})
  }
  endingLater.delete(store)
  const left = leftRuns(store)
  for (const one of left) if (!isTried(one)) one[1].settled?.resolve()
  if (left.some(isTried)) endLater(store, Math.min(waitedMs * 2, limits.longestEndAgainMs))
}

type LeftRun = [session: string, UnendedRun]

function leftRuns(store: SessionStore): LeftRun[] {
  return [...unendedRuns(store)].filter(([, { leftAt }]) => leftAt !== undefined)
}

function isTried([, { leftAt = 0 }]: LeftRun): boolean {
  return performance.now() < leftAt + limits.endAgainForMs
}

async function endNow(store: SessionStore, session: string, unended: UnendedRun): Promise<void> {
  await unended.end().catch((error) => {
    // The run was ended or taken over meanwhile.
    if (!isConflict(error)) throw error
  })
  forget(store, session, unended)
}

function forget(store: SessionStore, session: string, unended: UnendedRun): void {
  if (unendedRuns(store).get(session) === unended) unendedRuns(store).delete(session)
  unended.end = hasEnded
  unended.settled?.resolve()
}

/** In place of what leads to the run: V8 keeps the entries of a table that a Map has outgrown, and what they lead to. */
async function hasEnded(): Promise<void> {}

export function isConflict(error: unknown): error is AgentKitError {
  return isAgentKitError(error) && error.code === 'session-conflict'
}
