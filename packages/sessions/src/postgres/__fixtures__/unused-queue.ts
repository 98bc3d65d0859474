import type { RunQueue } from '@agentkit/core'

/** For stores of which only the runs are tested: they hand their queue to their callers, and only close it. */
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
