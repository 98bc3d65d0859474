import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { SessionKey, Turn } from '../data/session-data.ts'
import { visibleMessages } from '../data/transcript.ts'
import { untilAborted } from '../util/abort.ts'
import { cancelLive } from './live-runs.ts'
import { queuedRuns } from './session-queue.ts'
import { stateOf } from './suspended-runs.ts'

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
  return stored !== undefined || (await find(request)) !== undefined
}

/** What a run replaces: the stored runs, if it names one, and those that wait for the session in this process. */
export async function replacedBy(request: Replacement): Promise<{ stored: string[] | undefined; waiting: string[] }> {
  const { store, key, replaces } = request
  const queued = queuedRuns(store, key)
  const parts = await find(request)
  if (parts) {
    const kept = new Set(parts.left.map(({ runId }) => runId))
    return { stored: parts.replaced, waiting: queued.filter((runId) => !kept.has(runId)) }
  }
  const place = queued.indexOf(replaces)
  return { stored: undefined, waiting: place === -1 ? [] : queued.slice(place) }
}

/**
 * What is left of a session for a run that replaces an earlier one.
 * @throws AgentKitError `not-found` when `replaces` is no run of the session, or replaced already
 */
export async function turnsLeft(request: Replacement): Promise<{ messages: Message[]; state: JSONValue | undefined }> {
  const parts = await find(request)
  if (!parts) throw notFound(request.replaces)
  const { left } = parts
  const state = left.findLast((turn) => turn.status !== 'replaced' && turn.state !== undefined)?.state
  return { messages: left.flatMap(visibleMessages), state: stateOf(state) }
}

async function find(request: Replacement): Promise<{ left: Turn[]; replaced: string[] } | undefined> {
  const { store, key, replaces, signal } = request
  const turns = await untilAborted(signal, store.turns(key))
  const from = turns.findIndex(({ runId, status }) => runId === replaces && status !== 'replaced')
  if (from !== -1) return { left: turns.slice(0, from), replaced: turns.slice(from).map(({ runId }) => runId) }
  const replaced = await untilAborted(signal, runsSince(request))
  return replaced && { left: turns.filter(({ runId }) => !replaced.includes(runId)), replaced }
}

/** The runs of the session from one on that has not begun: it is no turn yet, while later runs may be. */
async function runsSince({ store: { runs }, key, replaces }: Replacement): Promise<string[] | undefined> {
  const record = (await runs?.read(replaces))?.record
  const { agentId, userId, sessionId } = key
  const isOfSession = record?.agentId === agentId && record.userId === userId && record.sessionId === sessionId
  const since: string[] = []
  while (runs && isOfSession && !record.replaced) {
    const after = since.at(-1)
    const page = await runs.list(key, { sessionId, limit: 100, ...(after !== undefined && { after }) })
    since.push(...page.map(({ runId }) => runId))
    const place = since.indexOf(replaces)
    if (place !== -1) return since.slice(0, place + 1)
    if (page.length === 0) break
  }
  return undefined
}

function notFound(replaces: string): AgentKitError {
  const message = `There is no run ${replaces} in this session that could be replaced.`
  return new AgentKitError('not-found', message, { runId: replaces })
}
