import type { RequestId } from './mcp-error.ts'

/**
 * The calls that a server is answering. In the revisions of 2025 a client cancels by a message of its own, which arrives as
 * another request.
 */
export type CallsInProgress = {
  /**
   * @returns a signal that aborts when the user's client cancels the call, and `end`, to be called when the call is
   * answered
   */
  begin(userId: string, id: RequestId): { signal: AbortSignal; end(): void }
  /**
   * Cancels a call of the user. Without sessions, several clients of one user may use the same id: then no call is
   * cancelled, so that a client cannot cancel the call of another one.
   */
  cancel(userId: string, id: unknown): void
}

export function callsInProgress(): CallsInProgress {
  const calls = new Map<string, Set<AbortController>>()
  return {
    begin(userId, id) {
      const key = keyOf(userId, id)
      const controller = new AbortController()
      const same = calls.get(key) ?? new Set()
      calls.set(key, same.add(controller))
      return {
        signal: controller.signal,
        end() {
          same.delete(controller)
          if (same.size === 0) calls.delete(key)
        },
      }
    },
    cancel(userId, id) {
      const [call, ...others] = calls.get(keyOf(userId, id)) ?? []
      if (others.length === 0) call?.abort()
    },
  }
}

/** The ids 1 and "1" are two. */
function keyOf(userId: string, id: unknown): string {
  return JSON.stringify([userId, id])
}
