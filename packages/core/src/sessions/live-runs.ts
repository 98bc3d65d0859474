import type { SessionStore } from '../contracts/session-store.ts'
import { settledWithin } from '../util/async/abort.ts'
import { perStore, placeOf } from './session-queue.ts'

/** A run in this process, from its start until it has settled: also one that waits for decisions. */
type LiveRun = RunControls & { settled: Promise<unknown> }

export type RunControls = {
  /** The agent or swarm whose run it is. */
  agentId: string
  /** Ends the run as `aborted`. */
  cancel(): void
  /** Hands a resumable run back, for another process: at the end of its step, or now. Absent for other runs. */
  handBack?(when: 'after its step' | 'now'): void
}

/** A run that was resumed while its reader still waits for decisions has two entries. */
const liveRuns = perStore<Set<LiveRun>>()

/** The same runs by place: agents whose stores are at one place cancel each other's. */
const runsAt = new Map<string, Set<LiveRun>>()

/** Runs that a caller of this process is taking over, by place, and how many such callers there are. */
const acquired = new Map<string, number>()

/** Makes a run known until it has settled. @param settled never rejects */
export function trackRun(store: SessionStore, runId: string, controls: RunControls, settled: Promise<unknown>): void {
  const run: LiveRun = { ...controls, settled }
  const forget = [add(liveRuns(store), runId, run), add(runsAt, placeText(store, runId), run)]
  void settled.finally(() => {
    for (const each of forget) each()
  })
}

/** @returns removes it */
function add(runs: Map<string, Set<LiveRun>>, key: string, run: LiveRun): () => void {
  const same = runs.get(key) ?? new Set()
  runs.set(key, same.add(run))
  return () => {
    same.delete(run)
    if (same.size === 0 && runs.get(key) === same) runs.delete(key)
  }
}

function placeText(store: SessionStore, runId: string): string {
  return `${placeOf(store)}\n${runId}`
}

/** Whether a run is in this process. */
export function isLive(store: SessionStore, runId: string): boolean {
  return liveRuns(store).has(runId)
}

/** The runs of a store that are in this process. */
export function liveRunIds(store: SessionStore): string[] {
  return [...liveRuns(store).keys()]
}

/** Cancels a run that is in this process, and waits until it has settled. */
export async function cancelLive(store: SessionStore, runId: string): Promise<void> {
  const runs = [...(runsAt.get(placeText(store, runId)) ?? [])]
  for (const run of runs) run.cancel()
  await Promise.allSettled(runs.map(({ settled }) => settled))
}

/**
 * Hands the resumable runs of a store back, so that another process can continue them at once. Each ends its step first.
 * @param withinMs the milliseconds after which the others end their steps at once
 * @param runIds only these
 */
export async function handBackRuns(
  store: SessionStore,
  withinMs: number,
  runIds: Iterable<string> = liveRuns(store).keys(),
): Promise<void> {
  const runs = [...runIds].flatMap((id) => [...(liveRuns(store).get(id) ?? [])]).filter(({ handBack }) => handBack)
  const settled = Promise.allSettled(runs.map((run) => run.settled))
  for (const run of runs) run.handBack?.('after its step')
  await settledWithin(withinMs, settled)
  for (const run of runs) run.handBack?.('now')
  await settled
}

/** The runs of an agent in this process that can be handed back. Other agents may have the same store. */
export function resumableRuns(store: SessionStore, ofAgent: string): string[] {
  const isResumable = (runs: ReadonlySet<LiveRun>): boolean =>
    [...runs].some(({ agentId, handBack }) => handBack && agentId === ofAgent)
  return [...liveRuns(store)].flatMap(([runId, runs]) => (isResumable(runs) ? [runId] : []))
}

/** Keeps a run that waits in this process from continuing there: a caller takes it over. @returns ends it */
export function acquireRun(store: SessionStore, runId: string): () => void {
  const key = placeText(store, runId)
  acquired.set(key, (acquired.get(key) ?? 0) + 1)
  return () => {
    const others = (acquired.get(key) ?? 1) - 1
    if (others === 0) acquired.delete(key)
    else acquired.set(key, others)
  }
}

export function isAcquired(store: SessionStore, runId: string): boolean {
  return acquired.has(placeText(store, runId))
}
