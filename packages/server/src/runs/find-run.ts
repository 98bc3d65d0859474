import type { StoredRun } from '@agentkit/core'
import { ProblemError } from '../answer/problem.ts'
import { isId } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { runStoreOf } from '../request/run-store.ts'

/**
 * A run of the agent and the user.
 * @throws ProblemError `not-found` for any other, so that a caller does not learn which runs exist
 */
export async function findRun({ agent }: Pick<RouteParts, 'agent'>, runId: string, userId: string): Promise<StoredRun> {
  const runs = runStoreOf(agent)
  const stored = isId(runId) ? await runs.read(runId) : undefined
  if (stored?.record.agentId === agent.id && stored.record.userId === userId) return stored
  throw new ProblemError('not-found', { detail: 'There is no such run.' })
}
