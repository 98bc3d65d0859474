import type { AgentEvent, RunStore } from '@agentkit/core'

/** Events that are read at once. */
const pageSize = 200
/** How often a run is read that another process may write to. */
const pollMs = 1_000

type FollowOptions = {
  /** The number of the last event that the reader has. */
  after: number
  signal: AbortSignal
  /** This process is about to store the run. */
  isStarting?: boolean
}

/**
 * The stored events of a run, each once and in order, then those that come, until a `run-end`. It ends without one when the
 * run has ended without or was deleted, and when the signal aborts.
 */
export async function* followRun(
  runs: RunStore,
  runId: string,
  { after, signal, isStarting = false }: FollowOptions,
): AsyncGenerator<AgentEvent, void> {
  let last = after
  while (!signal.aborted) {
    // Before the read, so that no write between them is missed.
    const change = nextChange(runs, runId, signal)
    try {
      const wasOver = await isOver(runs, runId, isStarting)
      const events = await runs.events(runId, last, pageSize)
      for (const event of events) {
        if (signal.aborted) return
        last = event.seq
        yield event
        if (event.type === 'run-end') return
      }
      if (events.length > 0) continue
      if (wasOver) return
      await change.happened
    } finally {
      change.stop()
    }
  }
}

async function isOver(runs: RunStore, runId: string, isStarting: boolean): Promise<boolean> {
  const stored = await runs.read(runId)
  if (!stored) return !isStarting
  return stored.record.status === 'done' || stored.record.status === 'failed'
}

/** The next write to the run by this process, or the time to look for those of others. */
function nextChange(runs: RunStore, runId: string, signal: AbortSignal): { happened: Promise<void>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const unwatch = runs.watch(runId, resolve)
  const timer = setTimeout(resolve, pollMs)
  const onAbort = (): void => resolve()
  signal.addEventListener('abort', onAbort)
  return {
    happened: promise,
    stop() {
      unwatch()
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}
