import { AgentKitError } from '../data/errors.ts'
import type { Session } from '../data/session-data.ts'

/** @throws AgentKitError `invalid-argument` when `limit` is no count; infinite means all */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 0)) return
  throw new AgentKitError('invalid-argument', '`limit` is a count: a whole number of at least 0. Leave it out for all.')
}

/**
 * The session without the messages that `load` was asked to leave out.
 * @throws AgentKitError `invalid-argument` when `from` is not a whole number of at least 0
 */
export function sessionFrom(session: Session, { from = 0 }: { from?: number } = {}): Session {
  if (!Number.isSafeInteger(from) || from < 0) {
    throw new AgentKitError('invalid-argument', '`from` is the index of a message: a whole number of at least 0.')
  }
  if (from === 0) return session
  const { messages } = session
  return { ...session, messages: messages.slice(from), from: Math.min(from, messages.length) }
}
