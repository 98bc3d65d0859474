import type { PruneReport } from '../../contracts/retention.ts'
import type { RunStore } from '../../contracts/run-store.ts'
import { counted } from '../../util/text/counted.ts'

/** What a store removes beside events and answers; 0 and absent: nothing. */
export type KeptRules = {
  sessionsMs?: number
  sessionsPerUser?: number
  /** The bytes of the store above which events are removed before their time. */
  maxBytes?: number
}

export type RetentionOptions = {
  runs: RunStore | undefined
  rules: KeptRules
  /** Called with a phrase such as `2 sessions with 3 runs`. */
  onRemoved(what: string): void
  /** Called with what a store throws; it is tried again. */
  onError(error: unknown): void
  /** Called afterwards: what is counted besides the store may need room. Default: the store's own size decides. */
  makeRoom?(): Promise<unknown>
}

const hourMs = 3_600_000
/** After the start, which needs the processor for itself. */
const firstMs = 1_000
/** How long events and idempotent answers are kept after the end of their run. */
export const keptMs: number = 24 * hourMs

/**
 * Removes what is older than the rules allow: soon after the start, and every hour. Stores without `runs` do not name the
 * users that they have sessions of, so nothing is removed from them.
 *
 * @returns stops it
 */
export function keepRetention(options: RetentionOptions): () => void {
  let isStopped = false
  const wait = (ms: number): ReturnType<typeof setTimeout> => {
    const timer = setTimeout(async () => {
      // A store that is closed meanwhile fails; what is left is removed at the next start.
      await prune(options).catch((error) => isStopped || options.onError(error))
      if (!isStopped) next = wait(hourMs)
    }, ms)
    // The timer does not keep the process alive.
    timer.unref?.()
    return timer
  }
  let next = wait(firstMs)
  return () => {
    isStopped = true
    clearTimeout(next)
  }
}

async function prune({ runs, rules, onRemoved, makeRoom }: RetentionOptions): Promise<void> {
  if (!runs) return
  const { maxBytes = 0, ...times } = rules
  const report = (removed: string): void => void (removed !== '' && onRemoved(removed))
  report(describeRemoved(await runs.prune({ ...times, eventsMs: keptMs, answersMs: keptMs })))
  if (makeRoom) await makeRoom()
  else if (maxBytes > 0 && ((await runs.size?.()) ?? 0) > maxBytes) {
    report(describeRemoved(await runs.prune({ eventsMs: 1 })))
  }
}

/** A phrase such as `2 sessions with 3 runs`; empty when nothing was removed. */
export function describeRemoved({ sessions, runs, events, answers }: PruneReport): string {
  const counts = [
    ...(sessions > 0 ? [`${counted(sessions, 'session')} with ${counted(runs, 'run')}`] : []),
    ...(events > 0 ? [counted(events, 'event')] : []),
    ...(answers > 0 ? [counted(answers, 'idempotent answer')] : []),
  ]
  return counts.join(', ')
}
