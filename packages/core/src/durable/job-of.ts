import type { QueuedRunEntry } from '../contracts/background-runs.ts'
import type { QueuedJob } from '../contracts/run-queue.ts'
import type { StoredRun } from '../contracts/run-store.ts'
import type { SessionKey } from '../data/session-data.ts'
import { sha256 } from '../util/sha256.ts'

/** The job of a background run, as callers of `enqueue` and stores add it: its session has one key for all of them. */
export function jobOf({
  key,
  runId,
  agentId,
  priority = 0,
  dueAt,
}: Pick<QueuedRunEntry, 'key' | 'runId' | 'agentId' | 'priority' | 'dueAt'>): QueuedJob {
  const job: QueuedJob = { runId, agentId, userId: key.userId }
  // The key of a run without a session names another agent. Nothing else runs there.
  if (key.agentId === agentId) job.sessionKey = sessionKeyOf(key)
  if (priority !== 0) job.priority = priority
  if (dueAt !== undefined) job.startAfter = dueAt
  return job
}

/** The job of a run that is stored already. */
export function jobOfStored({ key, record: { runId, agentId }, priority = 0 }: StoredRun): QueuedJob {
  return jobOf({ key, runId, agentId, priority })
}

/** A hash, as ids may be longer than what a queue indexes. */
function sessionKeyOf({ agentId, userId, sessionId }: SessionKey): string {
  return sha256(JSON.stringify([agentId, userId, sessionId]))
}
