import type { RunStore, StoredRun } from '@agentkit/core'
import { isKeptAfter } from '@agentkit/core/internal'
import { ProblemError } from './problem.ts'

/**
 * Checks that the events of a run after a number are still stored: the events of a run that has ended are removed after
 * a time.
 * @throws ProblemError `stream-expired`, with the number of the oldest event that is kept
 */
export async function checkKept(
  runs: RunStore,
  { record, lastSeq }: Pick<StoredRun, 'record' | 'lastSeq'>,
  after: number,
): Promise<void> {
  if (after >= lastSeq) return
  const range = await runs.eventRange(record.runId)
  if (range && (await isKeptAfter(runs, record.runId, range.oldest, after))) return
  throw new ProblemError('stream-expired', { members: { oldest: range?.oldest ?? null } })
}
