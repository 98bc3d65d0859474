import { AgentKitError } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import type { FollowOptions } from '../runs/background.ts'
import { follow } from '../runs/follow.ts'
import type { RunResult } from '../runs/run.ts'
import type { Owner } from './stored-runs.ts'

/** The events of a stored run. */
export function followRun({ store }: Owner, runId: string, options: FollowOptions): AsyncIterable<AgentEvent> {
  return follow(store, runId, options)
}

/** The result of a stored run. */
export async function resultOf(
  { agentId }: Owner,
  _runId: string,
  _options: Omit<FollowOptions, 'after'>,
): Promise<RunResult> {
  throw new AgentKitError('unsupported', `Results of background runs of "${agentId}" are not built yet.`)
}
