/** The share of one request in the bytes that all requests may hold in memory together. */
export interface Hold {
  /**
   * Replaces the bytes that the request holds.
   * @returns false if that exceeds the limit; then nothing changes
   */
  set(bytes: number): boolean
  /** Sets the bytes to 0. */
  release(): void
  /** The same, for a run that may begin after the answer has: `end` then leaves the bytes to it. */
  handOver(): () => void
  /** Call it with the answer: releases the bytes that are not handed over. */
  end(): void
}

/** Counts what requests hold in memory before their runs start, so that many small requests are bounded like a large one. */
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
    const release = (): void => void set(0)
    let isHandedOver = false
    return {
      set,
      release,
      handOver() {
        isHandedOver = true
        return release
      },
      end() {
        if (!isHandedOver) release()
      },
    }
  }
}
