/** The time of stores, in milliseconds since 1970. Every time that a store keeps or compares is read here. */
export function storeTime(): number {
  return source()
}

let source = Date.now

/** Replaces the clock, for tests of long times. @returns restores it */
export function setStoreTime(now: () => number): () => void {
  source = now
  return () => {
    source = Date.now
  }
}
