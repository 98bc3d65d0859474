import type { Runnable, RunStatus, SessionKey } from '@agentkit/core'
import { isAgentKitError } from '@agentkit/core'
import { ProblemError } from '../answer/problem.ts'
import type { RouteParts } from '../request/parts.ts'
import { isDamage } from './is-damage.ts'

/**
 * Deletes a session and everything of it, after its runs have ended.
 * @throws ProblemError `not-found` for an unknown session
 * @throws AgentKitError `storage`
 */
export async function deleteSession({ agent, capacity }: RouteParts, key: SessionKey): Promise<void> {
  // Before the runs of the session end, as their places would be given to it.
  const hasWaited = capacity.sessionRuns.refuse(key)
  if (!hasWaited && !(await hasRuns(agent, key)) && !(await hasTurns(agent, key))) throw new ProblemError('not-found')
  await endStoredRuns(agent, key)
  await capacity.sessionRuns.cancel(key)
  await agent.sessions.delete(key)
}

/** Whether the session has runs; those that are queued are not among its turns. */
async function hasRuns(agent: Runnable, { userId, sessionId }: SessionKey): Promise<boolean> {
  if (!agent.sessions.runs) return false
  const [first] = await agent.runs({ userId, sessionId, limit: 1 })
  return first !== undefined
}

/** Turns are read with their messages, which may be damaged. */
async function hasTurns({ sessions }: Runnable, key: SessionKey): Promise<boolean> {
  const [first] = await sessions.turns(key, { limit: 1 })
  return first !== undefined
}

const notEnded: readonly RunStatus[] = ['queued', 'running', 'waiting']

/** Ends the runs of the session in all processes. */
async function endStoredRuns(agent: Runnable, { userId, sessionId }: SessionKey): Promise<void> {
  if (!agent.sessions.runs) return
  for (const status of notEnded) {
    const runs = await agent.runs({ userId, sessionId, status, limit: 1_000 })
    for (const { runId } of runs) await agent.cancel(runId, { userId }).catch(ignoreGone)
  }
}

/** A damaged run cannot be ended, and is deleted with the session. */
function ignoreGone(error: unknown): void {
  if (!isDamage(error) && !(isAgentKitError(error) && error.code === 'not-found')) throw error
}
