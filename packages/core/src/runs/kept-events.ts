import type { RunStore } from '../contracts/run-store.ts'
import { limits } from '../limits.ts'

/** Whether all events of a run after a number are still stored. @param oldest the number of the first one that is */
export async function isKeptAfter(runs: RunStore, runId: string, oldest: number, after: number): Promise<boolean> {
  if (after >= oldest - 1) return true
  if (after < oldest - 1 - limits.eventGap) return false
  // A run that is retried counts on after a gap: nothing is missed where all events before it were read, and then removed.
  const [first] = await runs.events(runId, oldest - 1, 1)
  return first?.type === 'run-start'
}
