import type { Limits } from '../limits.ts'
import { createHeldBytes, type Hold } from './held-bytes.ts'
import { createRunQueue, type RunQueue } from './run-queue.ts'

/** What all requests of a server share. */
export type Capacity = {
  runs: RunQueue
  /** Starts to count the memory of one request. */
  hold(): Hold
}

export function createCapacity(limits: Limits): Capacity {
  return { runs: createRunQueue(limits), hold: createHeldBytes(limits.heldBytes) }
}
