import type { RunStore } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import { isEnded } from '../data/run-record.ts'
import { limits } from '../limits.ts'
import { shareRead } from '../util/async/share-reads.ts'

/**
 * The stored events of a run, then those that it emits, in whichever process it runs: each once, in order. It stays open
 * over a `run-end` after which the run waits or is retried, and ends after the last one, or when the signal aborts.
 *
 * @param options.after the number of the last event that was received; 0 for all that are kept
 * @param options.keepsEvents where that was just read
 * @throws AgentKitError `not-found` for an unknown run and one that keeps no events, `unsupported` with a store without
 *   `runs`
 * @example
 * for await (const event of follow(store, runId, { after: 12, signal })) console.log(event.type)
 */
export async function* follow(
  { runs }: SessionStore,
  runId: string,
  { after = 0, signal, keepsEvents }: { after?: number; signal?: AbortSignal; keepsEvents?: true } = {},
): AsyncGenerator<AgentEvent, void, undefined> {
  if (!runs) throw new AgentKitError('unsupported', 'Events are kept by sessions on disk or Postgres only.')
  if (!keepsEvents && !(await runs.read(runId))?.keepsEvents)
    throw new AgentKitError('not-found', `No run ${runId} keeps its events.`, { runId })
  const changes = watchRun(runs, runId, signal)
  let seen = after
  let hasEnded = false
  let isCaughtUp = false
  try {
    while (!signal?.aborted) {
      changes.reset()
      // A write wakes all followers of the run, which have seen the same events.
      const from = seen
      const page = await shareRead(runs, `events ${from} ${runId}`, () => runs.events(runId, from, pageSize))
      for (const event of page) {
        if (signal?.aborted) return
        yield event
        seen = event.seq
      }
      // Later writes, the end of the run included, wake the follower again.
      const isUpToDate = isCaughtUp && !hasEnded && page.length < pageSize && page.at(-1)?.type !== 'run-end'
      if (page.length === 0) {
        // Read again after its end, as its last events are stored with it.
        if (hasEnded) return
        const status = await shareRead(runs, `status ${runId}`, async () => (await runs.read(runId))?.record.status)
        hasEnded = status === undefined || isEnded(status)
        isCaughtUp = true
      } else if (!isUpToDate) continue
      if (!hasEnded) await changes.next()
    }
  } finally {
    changes.stop()
  }
}

/** Events that are read at once. */
const pageSize = 256

/** Wakes when a process has written to the run; periodically too, where the store reports only writes of this process. */
export function watchRun(runs: RunStore, runId: string, signal: AbortSignal | undefined) {
  let hasChanged = false
  let wake: (() => void) | undefined
  const change = (): void => {
    hasChanged = true
    wake?.()
  }
  const stopWatching = runs.watch(runId, change)
  signal?.addEventListener('abort', change)
  return {
    reset(): void {
      hasChanged = false
    },
    next(): Promise<void> {
      if (hasChanged) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(finish, runs.hearsOthers ? limits.notifiedPollMs : limits.pollMs)
        function finish(): void {
          clearTimeout(timer)
          wake = undefined
          resolve()
        }
        wake = finish
      })
    },
    stop(): void {
      stopWatching()
      signal?.removeEventListener('abort', change)
      wake?.()
    },
  }
}
