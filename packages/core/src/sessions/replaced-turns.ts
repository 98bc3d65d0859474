import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import { isEnded } from '../data/run-record.ts'
import type { Session, SessionKey, Turn } from '../data/session-data.ts'
import { visibleMessages } from '../data/transcript.ts'
import { untilAborted } from '../util/async/abort.ts'
import { cancelLive } from './live-runs.ts'
import { keyText, queuedRuns } from './session-queue.ts'
import { storedState } from './suspended-runs.ts'

type Replacement = { store: SessionStore; key: SessionKey; replaces: string; signal: AbortSignal }

/**
 * Cancels the runs of this process that a run replaces, also those that wait for the session.
 * @returns whether something of `replaces` is stored: a run that waited for the session is no turn of it
 * @throws AgentKitError `not-found` when `replaces` is no run of the session, or replaced already
 */
export async function cancelReplaced(request: Replacement): Promise<boolean> {
  const { store, replaces, signal } = request
  const cancel = async (runIds: readonly string[]): Promise<void> => {
    await untilAborted(signal, Promise.all(runIds.map((runId) => cancelLive(store, runId))))
  }
  const { stored, waiting } = await replacedBy(request)
  if (!stored && waiting.length === 0) throw notFound(replaces)
  await cancel([...(stored ?? []), ...waiting])
  // A run that waited may have begun meanwhile.
  return stored !== undefined || (await replacedOf(request)) !== undefined
}

/**
 * What a run replaces: the stored runs, if it names one, and those that wait for the session in this process.
 * @param isStoredNow whether the replacement is stored at once. What waits begins after it then: what waited before
 *   `replaces` was accepted stays, where that has not begun either
 */
export async function replacedBy(
  request: Replacement,
  { isStoredNow = false }: { isStoredNow?: boolean } = {},
): Promise<{ stored: string[] | undefined; waiting: string[] }> {
  const { store, key, replaces, signal } = request
  const queue = queuedRuns(store, key)
  // Read before the turns, so that a run which begins meanwhile counts as waiting.
  const found = await untilAborted(signal, Promise.all(queue.map(({ runId }) => store.find(runId))))
  const parts = await replacedOf(request)
  if (parts) {
    const { replaced, acceptedAt } = parts
    const kept = new Set(found.flatMap((turn) => (turn && !replaced.includes(turn.runId) ? [turn.runId] : [])))
    const since = isStoredNow && acceptedAt !== undefined ? startOf(store, acceptedAt) : Number.NEGATIVE_INFINITY
    const later = queue.filter(({ runId, startedAt }) => !kept.has(runId) && startedAt > since)
    return { stored: replaced, waiting: later.map(({ runId }) => runId) }
  }
  const queued = queue.map(({ runId }) => runId)
  const place = queued.indexOf(replaces)
  return { stored: undefined, waiting: place === -1 ? [] : queued.slice(place) }
}

/** A time of the store by `performance.now()`. */
function startOf({ runs }: SessionStore, storeTime: number): number {
  return performance.now() - ((runs?.now() ?? storeTime) - storeTime)
}

/**
 * What is left of a session for a run that replaces an earlier one.
 * @param loaded the session with all turns, as it was before
 * @throws AgentKitError `not-found` when `replaces` is no run of the session, or replaced already
 */
export async function turnsLeft(
  request: Replacement,
  loaded: Session | undefined,
): Promise<{ messages: Message[]; state: JSONValue | undefined }> {
  const later = await turnsFrom(request)
  // Of turns that have ended, the session shows what it showed when it was loaded, or its version has moved.
  if (
    loaded &&
    later?.every(({ status, state }) => status === 'replaced' || (isEnded(status) && state === undefined))
  ) {
    const shown = later.flatMap(visibleMessages).length
    const { messages, state } = loaded
    return { messages: messages.slice(0, messages.length - shown), state: storedState(state) }
  }
  const { store, key, signal } = request
  const replaced = later?.map(({ runId }) => runId) ?? (await runsSince(request))?.replaced
  if (!replaced) throw notFound(request.replaces)
  const turns = await untilAborted(signal, store.turns(key))
  const left = turns.filter(({ runId }) => !replaced.includes(runId))
  const state = left.findLast((turn) => turn.status !== 'replaced' && turn.state !== undefined)?.state
  return { messages: left.flatMap(visibleMessages), state: storedState(state) }
}

type Replaced = {
  replaced: string[]
  /** Of a run that has not begun, by the clock of the store. */
  acceptedAt?: number
}

async function replacedOf(request: Replacement): Promise<Replaced | undefined> {
  const turns = await turnsFrom(request)
  return turns ? { replaced: turns.map(({ runId }) => runId) } : runsSince(request)
}

/** The turns of the session from one on; `undefined` where it is none, or replaced. */
async function turnsFrom({ store, key, replaces, signal }: Replacement): Promise<Turn[] | undefined> {
  const [turn, stored] = await untilAborted(signal, Promise.all([store.find(replaces), store.runs?.read(replaces)]))
  if (!turn || turn.status === 'replaced') return undefined
  if (stored) {
    if (keyText(stored.key) !== keyText(key)) return undefined
    return [turn, ...(await untilAborted(signal, store.turns(key, { after: replaces })))]
  }
  // Only the turns of the session show whether it is one of them.
  const turns = await untilAborted(signal, store.turns(key))
  const from = turns.findIndex(({ runId, status }) => runId === replaces && status !== 'replaced')
  return from === -1 ? undefined : turns.slice(from)
}

/** The runs of the session from one on that has not begun: it is no turn yet, while later runs may be. */
async function runsSince({ store: { runs }, key, replaces }: Replacement): Promise<Replaced | undefined> {
  const record = (await runs?.read(replaces))?.record
  const { agentId, userId, sessionId } = key
  const isOfSession = record?.agentId === agentId && record.userId === userId && record.sessionId === sessionId
  const since: string[] = []
  while (runs && isOfSession && !record.replaced) {
    const after = since.at(-1)
    const page = await runs.list(key, { sessionId, limit: 100, ...(after !== undefined && { after }) })
    since.push(...page.map(({ runId }) => runId))
    const place = since.indexOf(replaces)
    if (place !== -1) return { replaced: since.slice(0, place + 1), acceptedAt: Date.parse(record.createdAt) }
    if (page.length === 0) break
  }
  return undefined
}

function notFound(replaces: string): AgentKitError {
  const message = `There is no run ${replaces} in this session that could be replaced.`
  return new AgentKitError('not-found', message, { runId: replaces })
}
