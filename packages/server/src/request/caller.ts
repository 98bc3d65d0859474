import { missing } from '../answer/field-problems.ts'
import { ProblemError } from '../answer/problem.ts'
import type { ServerContext } from '../util/server-env.ts'
import type { RouteRules } from './parts.ts'

/**
 * The user that a request acts for: the user of the token. With a token for any user, or without auth, the user that
 * the request names.
 *
 * @param userId the request's `user_id`
 * @throws ProblemError `missing-field` if the request must name a user; `not-found` if it names another user than the
 *   token's: this does not reveal which users exist
 */
export function callerOf(context: ServerContext, userId: string | undefined): string {
  const caller = anyCallerOf(context, userId)
  if (caller !== undefined) return caller
  throw missing('user_id')
}

/** The same, for requests that a token for any user may send without a user: then `undefined`. */
export function anyCallerOf(context: ServerContext, userId: string | undefined): string | undefined {
  const principal = context.get('principal')
  if (principal === undefined || principal === '*') return userId
  if (userId !== undefined && userId !== principal) throw new ProblemError('not-found')
  return principal
}

/** Whether the caller may decide on approvals of its runs: with `approvals: "service"` few may. */
export function mayDecide(context: ServerContext, { approvals }: Pick<RouteRules, 'approvals'>): boolean {
  return approvals === 'owner' || context.get('principal') === '*' || context.get('mayApprove') === true
}
