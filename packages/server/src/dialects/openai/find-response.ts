import type { SessionKey, StoredRun, Turn } from '@agentkit/core'
import { ProblemError } from '../../answer/problem.ts'
import { isId } from '../../request/fields.ts'
import type { RouteParts } from '../../request/parts.ts'
import { runBeforeSession } from './session-after.ts'

/** A run that is known as a response. */
export type FoundResponse = {
  runId: string
  userId: string
  /** Absent for a run without a session. */
  sessionId: string | undefined
  /** Absent until a queued run begins. */
  turn: Turn | undefined
  /** Absent if the store keeps no runs. */
  stored: StoredRun | undefined
}

const pageSize = 1_000
/** The most runs that are skipped, because later ones have replaced them. */
const mostReplaced = 20

/**
 * The run of a response of this agent and user.
 * @param param the field of the request that names it
 * @throws ProblemError `not-found` for any other
 */
export async function findResponse(
  { agent }: RouteParts,
  id: string,
  { userId, param }: { userId: string; param: string },
): Promise<FoundResponse> {
  const runId = /^resp_(.+)$/s.exec(id)?.[1] ?? ''
  const unknown = new ProblemError('not-found', {
    detail: 'There is no such response.',
    errors: [{ path: [param], message: 'does not exist' }],
  })
  if (!isId(runId)) throw unknown
  const { runs } = agent.sessions
  if (runs) {
    const stored = await runs.read(runId)
    if (stored?.record.agentId !== agent.id || stored.record.userId !== userId) throw unknown
    return { runId, userId, sessionId: stored.record.sessionId, turn: await agent.sessions.find(runId), stored }
  }
  const turn = await agent.sessions.find(runId)
  const sessionId = turn && (await sessionWith(agent.sessions, { agentId: agent.id, userId }, runId))
  if (sessionId === undefined) throw unknown
  return { runId, userId, sessionId, turn, stored: undefined }
}

/** The id of the run that a response continues: before it in its session, or that with which the session begins. */
export async function runBefore(parts: RouteParts, found: FoundResponse, userId: string): Promise<string | undefined> {
  const { sessionId } = found
  if (sessionId === undefined) return undefined
  return (await runBeforeInSession(parts, { ...found, sessionId }, userId)) ?? runBeforeSession(sessionId)
}

async function runBeforeInSession(
  { agent }: RouteParts,
  { runId, sessionId, stored }: FoundResponse & { sessionId: string },
  userId: string,
): Promise<string | undefined> {
  if (stored) {
    const earlier = await agent.runs({ userId, sessionId, after: runId, limit: mostReplaced })
    return earlier.find(({ replaced }) => !replaced)?.runId
  }
  const turns = await agent.sessions.turns({ agentId: agent.id, userId, sessionId })
  const own = turns.findIndex((turn) => turn.runId === runId)
  return turns.slice(0, Math.max(0, own)).findLast(({ status }) => status !== 'replaced')?.runId
}

/** A store without runs does not say whose a turn is: it is looked for in the sessions of the user. */
async function sessionWith(
  sessions: RouteParts['agent']['sessions'],
  owner: Omit<SessionKey, 'sessionId'>,
  runId: string,
): Promise<string | undefined> {
  for (let before: string | undefined; ; ) {
    const page = await sessions.list(owner, { limit: pageSize, ...(before !== undefined && { before }) })
    for (const { sessionId } of page) {
      const turns = await sessions.turns({ ...owner, sessionId })
      if (turns.some((turn) => turn.runId === runId)) return sessionId
    }
    if (page.length < pageSize) return undefined
    before = page.at(-1)?.sessionId
  }
}
