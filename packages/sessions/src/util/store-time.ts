/** The time of stores, in milliseconds since 1970. Every time that a store keeps or compares is read here. */
export function storeTime(): number {
  return source()
}

const clock = (): number => Date.now()
let source = clock

/** Replaces the clock, for tests of long times. @returns restores it */
export function setStoreTime(now: () => number): () => void {
  source = now
  return () => {
    source = clock
  }
}
