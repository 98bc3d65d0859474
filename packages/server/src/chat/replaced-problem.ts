import type { Runnable } from '@agentkit/core'
import { replacedBy } from '@agentkit/core/internal'
import { ProblemError } from '../answer/problem.ts'

/** The problem of a run that names one to replace which its session does not have: it names the field. */
export function replacedProblem(problem: unknown, replaces: string | undefined): unknown {
  if (!(problem instanceof ProblemError) || problem.code !== 'not-found' || replaces === undefined) return problem
  const { cause } = problem
  // A model may fail with this code too.
  const { message } = typeof cause === 'object' && cause !== null && 'message' in cause ? cause : {}
  if (typeof message !== 'string' || !message.includes(replaces)) return problem
  return noReplaced(cause)
}

/**
 * Refuses a run to replace that the session does not have, before the one that replaces it has an id.
 * @throws ProblemError `not-found`
 */
export async function requireReplaced(
  { id: agentId, sessions }: Runnable,
  { userId, sessionId, replaces }: { userId: string; sessionId?: string; replaces?: string },
  signal: AbortSignal,
): Promise<void> {
  if (replaces === undefined || sessionId === undefined) return
  const key = { agentId, userId, sessionId }
  const { stored, waiting } = await replacedBy({ store: sessions, key, replaces, signal })
  if (!stored && waiting.length === 0) throw noReplaced()
}

function noReplaced(cause?: unknown): ProblemError {
  return new ProblemError('not-found', {
    detail: 'The field replaces names no run of this session that could be replaced.',
    errors: [{ path: ['replaces'], message: 'is no run of this session that could be replaced' }],
    ...(cause !== undefined && { cause }),
  })
}
