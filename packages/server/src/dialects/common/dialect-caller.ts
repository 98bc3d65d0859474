import { ProblemError } from '../../answer/problem.ts'
import { anyCallerOf } from '../../request/caller.ts'
import { isId } from '../../request/fields.ts'
import type { ServerContext } from '../../util/server-env.ts'

/**
 * The user that a request of a dialect acts for: the token's own; else that of `X-User-Id`, of the dialect's own field, or
 * `default`.
 *
 * @param named the dialect's own field, if it has one
 * @throws ProblemError `not-found` where it names another user than the token's; `invalid-field`
 */
export function dialectCaller(context: ServerContext, named?: string): string {
  const header = context.req.header('x-user-id')
  const userId = header ?? named
  if (userId !== undefined && !isId(userId)) {
    const name = header === undefined ? 'user' : 'X-User-Id'
    const message = 'must have 1 to 128 characters, none of them a control character'
    throw new ProblemError('invalid-field', { detail: `${name} ${message}.`, errors: [{ path: [name], message }] })
  }
  return anyCallerOf(context, userId) ?? 'default'
}
