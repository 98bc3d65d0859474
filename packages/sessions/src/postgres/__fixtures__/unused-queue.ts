import type { RunQueue } from '@agentkit/core'

/** A queue for stores of which only the runs are tested: a store only closes its queue, and its callers use it. */
export const unusedQueue: RunQueue = {
  add: unused,
  take: unused,
  keep: unused,
  settle: unused,
  missing: unused,
  onReady: unused,
  counts: unused,
  clear: unused,
  migrate: unused,
  close: async () => {},
}

function unused(): never {
  throw new Error('The store calls nothing of its queue.')
}
