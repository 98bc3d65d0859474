import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { OnBusy } from '../data/on-busy.ts'
import type { SessionKey } from '../data/session-data.ts'
import { limits } from '../limits.ts'
import { untilAborted } from '../util/async/abort.ts'

export type QueueRequest = {
  store: SessionStore
  key: SessionKey
  runId: string
  signal: AbortSignal
  onBusy: OnBusy
  /** Whether the run goes before those that wait: the store says that it holds the session. */
  isHolder?: boolean
  /** Called when a later run ends this one. */
  interrupt(reason: AgentKitError): void
  /** Called when the run waits for others. @returns called when it no longer does */
  waits?: (() => () => void) | undefined
}

type QueuedRun = {
  runId: string
  /** When it was started, by `performance.now()`. */
  startedAt: number
  admit(): void
  interrupt(reason: AgentKitError): void
  isInterrupted: boolean
}

/** The first run of a queue holds the session. By session and place: agents whose stores are at one place share its queues. */
const queues = new Map<string, QueuedRun[]>()

const places = new WeakMap<SessionStore, string>()
let otherStores = 0

/**
 * Says where a store keeps its sessions. Its runs wait for those of other stores of this process at the same place, as for its
 * own: each agent that was created with a path has a store.
 */
export function shareQueues(store: SessionStore, place: string): void {
  places.set(store, `at ${place}`)
}

/** Where a store keeps its sessions; a place of its own, unless `shareQueues` says another. */
export function placeOf(store: SessionStore): string {
  const place = places.get(store) ?? `store ${++otherStores}`
  places.set(store, place)
  return place
}

/**
 * Waits until every earlier run of the session in this process has released it.
 *
 * @returns releases the session to the next run
 * @throws AgentKitError `session-busy` when the queue is full, or not empty and `onBusy` is `reject`; `session-conflict` for a
 *   run that holds the session in this process already
 */
export async function enqueue({
  store,
  key,
  runId,
  signal,
  onBusy,
  isHolder,
  interrupt,
  waits,
}: QueueRequest): Promise<() => void> {
  const session = `${placeOf(store)}\n${keyText(key)}`
  const queue = queues.get(session) ?? []
  // A queue that is built again may deliver a run twice.
  if (isHolder && queue.some((queued) => queued.runId === runId)) {
    throw new AgentKitError('session-conflict', `The run ${runId} is running in this process already.`)
  }
  if (onBusy === 'reject' && queue.length > 0 && !isHolder) throw sessionBusy()
  if (onBusy === 'interrupt') interruptAll(queue)
  // The first run does not wait, and interrupted runs are about to leave.
  if (queue.filter((queued) => !queued.isInterrupted).length > limits.sessionQueue) throw queueIsFull()

  const { promise: admitted, resolve: admit } = Promise.withResolvers<void>()
  const run: QueuedRun = { runId, startedAt: performance.now(), admit, interrupt, isInterrupted: false }
  queues.set(session, queue)
  if (isHolder) queue.unshift(run)
  else queue.push(run)
  if (isHolder || queue.length === 1) admit()

  const release = (): void => {
    const index = queue.indexOf(run)
    if (index === -1) return
    queue.splice(index, 1)
    queue[0]?.admit()
    if (queue.length === 0) queues.delete(session)
  }
  const endWait = queue[0] === run ? undefined : waits?.()
  try {
    await untilAborted(signal, admitted)
    return release
  } catch (error) {
    release()
    throw error
  } finally {
    endWait?.()
  }
}

/** The runs of this process that hold a session or wait for it, in their order. */
export function queuedRuns(store: SessionStore, key: SessionKey): Pick<QueuedRun, 'runId' | 'startedAt'>[] {
  return queues.get(`${placeOf(store)}\n${keyText(key)}`)?.map(({ runId, startedAt }) => ({ runId, startedAt })) ?? []
}

function interruptAll(queue: readonly QueuedRun[]): void {
  const reason = new AgentKitError('aborted', 'A newer message interrupted the run.')
  // A copy, as an interrupted run may leave the queue at once.
  for (const run of [...queue]) {
    if (run.isInterrupted) continue
    run.isInterrupted = true
    run.interrupt(reason)
  }
}

function queueIsFull(): AgentKitError {
  return busy(`${limits.sessionQueue} runs wait for this session already. Try again when some of them have ended.`)
}

/** @param cause the store's error, if the store refused the run */
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

/** A key as one string: ("a", "b_c") and ("a_b", "c") stay different. */
export function keyText({ agentId, userId, sessionId }: SessionKey): string {
  return JSON.stringify([agentId, userId, sessionId])
}

/** A map per session store, for as long as the store exists. */
export function perStore<Value>(): (store: SessionStore) => Map<string, Value> {
  const maps = new WeakMap<SessionStore, Map<string, Value>>()
  return (store) => {
    const known = maps.get(store) ?? new Map<string, Value>()
    maps.set(store, known)
    return known
  }
}

/** Sets a key as the newest one, and forgets the oldest beyond `limits.rememberedRuns`. */
export function setNewest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > limits.rememberedRuns && oldest !== undefined) map.delete(oldest)
}
