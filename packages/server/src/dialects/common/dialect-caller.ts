import { invalid } from '../../answer/field-problems.ts'
import { anyCallerOf } from '../../request/caller.ts'
import { type IdSchema, idSchema, isId } from '../../request/fields.ts'
import { headerText } from '../../request/header-text.ts'
import type { ServerContext } from '../../util/server-env.ts'

/** The user that a dialect's own field names. */
export type NamedUser = { userId: string; field: string }

/** The header of {@link dialectCaller}, for `/openapi.json`. */
export const userHeader: Record<string, IdSchema> = { 'X-User-Id': idSchema }

const unnamed = { userId: undefined, field: '' }

/**
 * The user that a request of a dialect acts for: the user of the token; else the user of `X-User-Id` or of the
 * dialect's own field, or `default`.
 *
 * @param named the dialect's own field, if it has one
 * @throws ProblemError `not-found` where it names another user than the token's; `invalid-field`
 */
export function dialectCaller(context: ServerContext, named?: NamedUser): string {
  const header = headerText(context.req.header('x-user-id'))
  const { userId, field: name } = header === undefined ? (named ?? unnamed) : { userId: header, field: 'X-User-Id' }
  if (userId !== undefined && !isId(userId)) {
    throw invalid([name], 'must have 1 to 128 characters, none of them a control character')
  }
  return anyCallerOf(context, userId) ?? 'default'
}
