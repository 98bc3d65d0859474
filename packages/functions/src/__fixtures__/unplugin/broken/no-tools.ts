/**
 * Waits.
 * @param done What to do then.
 */
export function wait(done: () => void): void {
  setTimeout(done, 1)
}

/**
 * Counts votes.
 * @param votes The votes.
 */
export const count = (votes: Map<string, number>): number => votes.size

/**
 * Takes what no model has, and says so.
 * @internal
 */
export function register(handler: () => void): void {
  handler()
}

