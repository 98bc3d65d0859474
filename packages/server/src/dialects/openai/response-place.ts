import { type Message, type SessionKey, visibleMessages } from '@agentkit/core'
import { invalid } from '../../answer/field-problems.ts'
import { finalConflict, ProblemError } from '../../answer/problem.ts'
import type { RouteParts } from '../../request/parts.ts'
import { type FoundResponse, findResponse } from './find-response.ts'
import { sessionAfter } from './session-after.ts'

/** The session of a new response, and its earlier messages. */
export type ResponsePlace = { sessionId: string | undefined; history: Message[] | undefined }

type Asked = {
  userId: string
  previousId: string | undefined
  sessionId: string | undefined
  isStored: boolean
  isBackground: boolean
}

/**
 * Finds the session of a new response: the session of the previous response if that is its last one; otherwise a new
 * session that begins with the turns up to the previous response.
 * @returns also the history, where it is not the history of the request
 * @throws ProblemError `not-found` for an unknown previous response; `session-busy` for a previous response that has
 *   not ended and is not the last; `session-conflict` for one that never began
 */
export async function placeOf(parts: RouteParts, asked: Asked): Promise<ResponsePlace> {
  const { userId, previousId, sessionId, isStored, isBackground } = asked
  // A response that is kept needs a session, although none is named.
  const fresh = isStored ? crypto.randomUUID() : undefined
  if (previousId === undefined) return { sessionId: sessionId ?? fresh, history: undefined }
  const previous = await findResponse(parts, previousId, { userId, param: 'previous_response_id' })
  if (sessionId !== undefined && sessionId !== previous.sessionId) {
    throw invalid(['X-Session-Id'], 'must be the session of previous_response_id', 'header')
  }
  const isLast = isStored && previous.sessionId !== undefined && (await isLastRun(parts, userId, previous))
  const { turn, stored } = previous
  // The queue keeps the order of background runs; any other run would begin before one that is queued.
  if (isLast && (turn || isBackground)) return { sessionId: previous.sessionId, history: undefined }
  const status = stored?.record.status ?? turn?.status
  if (status === 'queued' || status === 'running') {
    const detail = 'The previous response has not ended. Continue it then.'
    throw new ProblemError('session-busy', { detail, headers: { 'retry-after': '1' } })
  }
  if (!turn) {
    const detail = 'The previous response was cancelled before it had begun. Continue the one before it.'
    throw finalConflict(detail)
  }
  return { sessionId: fresh && sessionAfter(previous.runId), history: await messagesUntil(parts, userId, previous) }
}

async function isLastRun(
  parts: RouteParts,
  userId: string,
  { runId, sessionId = '', turn }: FoundResponse,
): Promise<boolean> {
  const { agent } = parts
  // Queued runs are not among the turns of their session.
  const [queued] = agent.sessions.runs ? await agent.runs({ userId, sessionId, status: 'queued', limit: 1 }) : []
  if (!turn || queued) return queued?.runId === runId
  if (turn.status === 'replaced') return false
  const later = await agent.sessions.turns(keyOf(parts, userId, sessionId), { after: runId })
  return later.every(({ status }) => status === 'replaced')
}

async function messagesUntil(
  parts: RouteParts,
  userId: string,
  { runId, sessionId, turn }: FoundResponse,
): Promise<Message[]> {
  // A replaced turn counts as done here, so that its messages are visible.
  const last = turn?.status === 'replaced' ? { ...turn, status: 'done' as const } : turn
  const own = last ? visibleMessages(last) : []
  if (sessionId === undefined) return own
  const turns = await parts.agent.sessions.turns(keyOf(parts, userId, sessionId))
  const earlier = turns.slice(
    0,
    Math.max(
      0,
      turns.findIndex((each) => each.runId === runId),
    ),
  )
  return [...earlier.flatMap(visibleMessages), ...own]
}

function keyOf({ agent }: RouteParts, userId: string, sessionId = ''): SessionKey {
  return { agentId: agent.id, userId, sessionId }
}
