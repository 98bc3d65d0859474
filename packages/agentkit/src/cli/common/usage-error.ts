/** A command that was called in a way that it does not understand. The process exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
