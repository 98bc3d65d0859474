import type { SessionStore } from '@agentkit/core'
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

/** Refuses a run to replace that nobody knows, before the one that replaces it has an id. */
export async function requireReplaced(sessions: SessionStore, replaces: string | undefined): Promise<void> {
  if (replaces === undefined) return
  const [turn, run] = await Promise.all([sessions.find(replaces), sessions.runs?.read(replaces)])
  if (!turn && !run) throw noReplaced()
}

function noReplaced(cause?: unknown): ProblemError {
  return new ProblemError('not-found', {
    detail: 'The field replaces names no run of this session that could be replaced.',
    errors: [{ path: ['replaces'], message: 'is no run of this session that could be replaced' }],
    ...(cause !== undefined && { cause }),
  })
}
