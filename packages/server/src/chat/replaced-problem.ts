import { ProblemError } from '../answer/problem.ts'

/** The problem of a run that names one to replace which its session does not have: it names the field. */
export function replacedProblem(problem: unknown, replaces: string | undefined): unknown {
  if (!(problem instanceof ProblemError) || problem.code !== 'not-found' || replaces === undefined) return problem
  const { cause } = problem
  // A model may fail with this code too.
  const { message } = typeof cause === 'object' && cause !== null && 'message' in cause ? cause : {}
  if (typeof message !== 'string' || !message.includes(replaces)) return problem
  return new ProblemError('not-found', {
    detail: 'The field replaces names no run of this session that could be replaced.',
    errors: [{ path: ['replaces'], message: 'is no run of this session that could be replaced' }],
    cause,
  })
}
