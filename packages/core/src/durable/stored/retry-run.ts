import { AgentKitError } from '../../data/errors.ts'
import { wasSuspended } from '../../sessions/recorded-data.ts'
import { isId } from '../../util/options/check-options.ts'
import { backgroundOf } from '../queue/background-of.ts'
import { jobOfStored } from '../queue/job-of.ts'
import { checkCall, type Owner, requireRun } from './stored-runs.ts'

/**
 * Queues a failed run again.
 * @throws AgentKitError `session-conflict` for a run that has not failed, and for one whose steps are not stored; `not-found`
 */
export async function retryRun(owner: Owner, runId: string, options: { userId?: string }): Promise<void> {
  const runs = backgroundOf(owner.store)
  checkCall(runId, options, { userId: isId })
  const stored = await requireRun(owner, runs, runId, options.userId)
  // What is needed to continue a run is stored when it waits, too.
  if (!stored.isBackground && !stored.isResumable && !wasSuspended(stored)) {
    const message = `The run ${runId} was not resumable, so that its steps are not stored. Begin it again as a new run.`
    throw new AgentKitError('session-conflict', message, { runId })
  }
  await runs.background.retry(runId)
  // The run is queued: a worker adds the job that cannot be added now.
  await runs.background.queue.add([jobOfStored(stored, runs.now())]).catch(() => {})
}
