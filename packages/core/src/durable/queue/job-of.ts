import type { QueuedRunEntry } from '../../contracts/background-runs.ts'
import type { QueuedJob } from '../../contracts/run-queue.ts'
import type { StoredRun } from '../../contracts/run-store.ts'
import type { SessionKey } from '../../data/session-data.ts'
import { sha256 } from '../../util/text/sha256.ts'

/**
 * The job of a background run, as callers of `enqueue` and stores add it: its session has one key for all of them.
 * @param acceptedAt by the clock of the store, in milliseconds since 1970
 */
export function jobOf({
  key,
  runId,
  agentId,
  priority = 0,
  dueAt,
  acceptedAt,
}: Pick<QueuedRunEntry, 'key' | 'runId' | 'agentId' | 'priority' | 'dueAt'> & { acceptedAt: number }): QueuedJob {
  const job: QueuedJob = { runId, agentId, userId: key.userId }
  // The key of a run without a session names another agent. Nothing else runs there.
  if (key.agentId === agentId) {
    job.sessionKey = sessionKeyOf(key)
    job.sessionOrder = Math.max(acceptedAt, dueAt ?? acceptedAt)
  }
  if (priority !== 0) job.priority = priority
  if (dueAt !== undefined) job.startAfter = dueAt
  return job
}

/** The job of a run that is stored already. */
export function jobOfStored(
  { key, record: { runId, agentId, createdAt }, priority = 0 }: StoredRun,
  // A run that continues comes before those that were accepted after it.
  acceptedAt: number = Date.parse(createdAt),
): QueuedJob {
  return jobOf({ key, runId, agentId, priority, acceptedAt })
}

/** A hash, as ids may be longer than what a queue indexes. */
function sessionKeyOf({ agentId, userId, sessionId }: SessionKey): string {
  return sha256(JSON.stringify([agentId, userId, sessionId]))
}
