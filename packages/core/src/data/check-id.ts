import { limits } from '../limits.ts'
import { invalidArgument } from './errors.ts'

/**
 * Checks the ids of a session's key before a store uses them: as UTF-8, different ids that are not valid Unicode become
 * the same bytes, and two users would share one conversation.
 *
 * @param key the user's id, and the session's if there is one
 * @throws AgentKitError `invalid-argument` for an id that is longer than 1,024 bytes of UTF-8, or not valid Unicode
 * @example
 * async load(key) {
 *   checkSessionKey(key)
 *   return rows.find(key.agentId, key.userId, key.sessionId)
 * }
 */
export function checkSessionKey(key: { [Id in 'userId' | 'sessionId']?: string | undefined }): void {
  const { userId, sessionId } = key
  if (userId !== undefined) checkId('userId', userId)
  if (sessionId !== undefined) checkId('sessionId', sessionId)
}

/** @throws AgentKitError `invalid-argument`, which names the id without repeating it */
export function checkId(name: 'userId' | 'sessionId' | 'runId' | 'idempotencyKey' | 'after' | 'by', id: unknown): void {
  if (typeof id !== 'string') throw invalidArgument(`\`${name}\` is a text.`)
  if (isTooLong(id)) {
    throw invalidArgument(
      `\`${name}\` has ${Buffer.byteLength(id)} bytes; at most ${limits.idBytes} are taken. Pass a shorter id.`,
    )
  }
  if (!id.isWellFormed()) {
    throw invalidArgument(
      `\`${name}\` holds half of a surrogate pair, which is not valid Unicode. Pass a text that is valid.`,
    )
  }
}

/** Whether an id of a user or a model is longer than `limits.idBytes`. */
export function isTooLong(id: string): boolean {
  return Buffer.byteLength(id) > limits.idBytes
}
