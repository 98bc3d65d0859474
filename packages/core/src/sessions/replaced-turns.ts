import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { SessionKey, Turn } from '../data/session-data.ts'
import { visibleMessages } from '../data/transcript.ts'
import { untilAborted } from '../util/abort.ts'
import { cancelLive } from './live-runs.ts'
import { stateOf } from './suspended-runs.ts'

type Replacement = { store: SessionStore; key: SessionKey; replaces: string; signal: AbortSignal }

/**
 * Cancels the runs of this process that a run replaces.
 * @throws AgentKitError `not-found` when `replaces` is no run of the session, or replaced already
 */
export async function cancelReplaced(request: Replacement): Promise<void> {
  const { replaced } = await split(request)
  const cancelled = Promise.all(replaced.map((runId) => cancelLive(request.store, runId)))
  await untilAborted(request.signal, cancelled)
}

/**
 * What is left of a session for a run that replaces an earlier one.
 * @throws AgentKitError `not-found` when `replaces` is no run of the session, or replaced already
 */
export async function turnsLeft(request: Replacement): Promise<{ messages: Message[]; state: JSONValue | undefined }> {
  const { left } = await split(request)
  const state = left.findLast((turn) => turn.status !== 'replaced' && turn.state !== undefined)?.state
  return { messages: left.flatMap(visibleMessages), state: stateOf(state) }
}

async function split(request: Replacement): Promise<{ left: Turn[]; replaced: string[] }> {
  const { store, key, replaces, signal } = request
  const turns = await untilAborted(signal, store.turns(key))
  const from = turns.findIndex(({ runId, status }) => runId === replaces && status !== 'replaced')
  if (from !== -1) return { left: turns.slice(0, from), replaced: turns.slice(from).map(({ runId }) => runId) }
  const replaced = await untilAborted(signal, runsSince(request))
  return { left: turns.filter(({ runId }) => !replaced.includes(runId)), replaced }
}

/** The runs of the session from one on that has not begun: it is no turn yet, while later runs may be. */
async function runsSince({ store: { runs }, key, replaces }: Replacement): Promise<string[]> {
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
  const message = `There is no run ${replaces} in this session that could be replaced.`
  throw new AgentKitError('not-found', message, { runId: replaces })
}
