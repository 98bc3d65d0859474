import { AgentKitError } from '../data/errors.ts'
import type { Owner } from './stored-runs.ts'

/** Queues a failed run again. */
export async function retryRun({ agentId }: Owner, _runId: string, _options: { userId?: string }): Promise<void> {
  throw new AgentKitError('unsupported', `Runs of "${agentId}" cannot be retried yet.`)
}
