import { setImmediate } from 'node:timers/promises'

/** Lets everything else that waits for this thread have its turn. */
export function yieldToOthers(): Promise<void> {
  return setImmediate()
}
