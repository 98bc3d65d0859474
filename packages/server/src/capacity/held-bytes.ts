/** What one request holds in memory of the bytes that all of them may hold together. */
export interface Hold {
  /**
   * Holds so many bytes instead of those that it has held so far.
   * @returns false where that is more than is left; then it holds what it held
   */
  set(bytes: number): boolean
  /** Holds nothing more. */
  release(): void
}

/** Counts what requests hold in memory before their runs start, so that many small ones are bounded like one large. */
export function createHeldBytes(limit: number): () => Hold {
  let total = 0
  return () => {
    let held = 0
    const set = (bytes: number): boolean => {
      if (total - held + bytes > limit) return false
      total += bytes - held
      held = bytes
      return true
    }
    return { set, release: () => void set(0) }
  }
}
