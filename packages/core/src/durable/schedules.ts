import { AgentKitError } from '../data/errors.ts'
import type { EnqueueItem, ScheduleInfo, ScheduleTimes } from '../runs/background.ts'
import type { Enqueuer } from './enqueue.ts'
import type { Owner } from './stored-runs.ts'

/** Replaces the schedule of this agent and name. */
export async function setSchedule(
  { spec }: Enqueuer,
  _name: string,
  _times: ScheduleTimes,
  _item: EnqueueItem,
): Promise<void> {
  throw new AgentKitError('unsupported', `Schedules of "${spec.id}" are not built yet.`)
}

/** @returns false when there was none */
export async function removeSchedule({ agentId }: Owner, _name: string): Promise<boolean> {
  throw new AgentKitError('unsupported', `Schedules of "${agentId}" are not built yet.`)
}

/** The schedules of an agent, by name. */
export async function listSchedules({ agentId }: Owner): Promise<ScheduleInfo[]> {
  throw new AgentKitError('unsupported', `Schedules of "${agentId}" are not built yet.`)
}
