import { setImmediate } from 'node:timers/promises'

/** Yields to everything that waits for this thread. */
export function yieldToOthers(): Promise<void> {
  return setImmediate()
}
