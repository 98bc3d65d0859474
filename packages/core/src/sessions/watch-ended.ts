import type { RunStore, StoredRun } from '../contracts/run-store.ts'
import { AgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { isConflict } from './unended-runs.ts'

type WatchedRun = { runId: string; attempt: number; interrupt(reason: AgentKitError): void }
/** The runs of one store that this process works on. */
type WatchedRuns = { runs: Set<WatchedRun>; timer: NodeJS.Timeout | undefined; isLooking: boolean }

const watchedBy = new WeakMap<RunStore, WatchedRuns>()

/**
 * Reports that another process has ended or taken over a run of this one. The run's own next write would find that out, but a
 * model may answer, and a tool may work, for minutes without one. Where many runs are watched, they are read in turn. No other
 * process has the runs of a store that ends with its own.
 *
 * @param run.attempt by which this process has the run
 * @returns stops it
 */
export function watchEnded(
  { runs: store, runId, attempt }: { runs: RunStore; runId: string; attempt: number },
  interrupt: (reason: AgentKitError) => void,
): () => void {
  if (!isShared(store)) return () => {}
  const watched = watchedBy.get(store) ?? { runs: new Set(), timer: undefined, isLooking: false }
  watchedBy.set(store, watched)
  const run: WatchedRun = { runId, attempt, interrupt }
  watched.runs.add(run)
  watched.timer ??= setInterval(() => void look(store, watched), limits.decisionPollMs).unref()
  return () => leave(watched, run)
}

/** Postgres has no background runs without a queue. */
function isShared({ background, hearsOthers }: RunStore): boolean {
  return background !== undefined || hearsOthers !== undefined
}

function leave(watched: WatchedRuns, run: WatchedRun): void {
  watched.runs.delete(run)
  // V8 keeps the entries of a table that a Set has outgrown, and what they lead to.
  run.interrupt = () => {}
  if (watched.runs.size > 0) return
  clearInterval(watched.timer)
  watched.timer = undefined
}

/** Reads the runs that were read the longest ago. */
async function look(store: RunStore, watched: WatchedRuns): Promise<void> {
  if (watched.isLooking) return
  watched.isLooking = true
  const { runs } = watched
  for (const run of [...runs].slice(0, limits.runsPerLook)) {
    // The run may have ended meanwhile.
    if (!runs.delete(run)) continue
    runs.add(run)
    // A store that fails now is read again later.
    const reason = await store.read(run.runId).then(
      (stored) => reasonToEnd(run, stored),
      () => undefined,
    )
    if (!reason || !runs.has(run)) continue
    const { interrupt } = run
    leave(watched, run)
    interrupt(reason)
  }
  watched.isLooking = false
}

/** Why a write of a run was refused: as {@link watchEnded} reports it, where another process has cancelled the run. */
export async function whyRefused(
  run: { runs: RunStore; runId: string; attempt: number },
  error: unknown,
): Promise<unknown> {
  if (!isConflict(error)) return error
  const reason = await run.runs.read(run.runId).then(
    (stored) => reasonToEnd(run, stored),
    () => undefined,
  )
  return reason?.code === 'aborted' ? reason : error
}

function reasonToEnd(
  { runId, attempt }: Pick<WatchedRun, 'runId' | 'attempt'>,
  stored: StoredRun | undefined,
): AgentKitError | undefined {
  if (stored?.record.status === 'running' && stored.attempt === attempt) return undefined
  // A run that is not stored any more was cancelled, and deleted with its session.
  if (!stored || stored.record.finishReason === 'aborted') {
    return new AgentKitError('aborted', stored?.record.error?.message ?? 'The run was cancelled.', { runId })
  }
  return new AgentKitError('session-conflict', `Another process has continued the run ${runId}.`, { runId })
}
