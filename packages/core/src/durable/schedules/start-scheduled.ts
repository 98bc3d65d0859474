import type { StoredSchedule } from '../../contracts/background-runs.ts'
import { isAgentKitError } from '../../data/errors.ts'
import { limits } from '../../limits.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { jobOf } from '../queue/job-of.ts'
import { cronTimes } from './cron-times.ts'
import { scheduledRun } from './schedules.ts'

/**
 * A time that has started its run starts no second one, unless the clock was ahead by more, in milliseconds: then it was
 * wrong. An expression for each hour would stand still for too long, and the clocks of two workers differ by less.
 */
const wrongMs = { usual: 3 * 3_600_000, ofEachHour: 60_000 }

/**
 * Starts the runs of schedules that are due, with each call. Where the clock was set back since the one before, or before the
 * first one, schedules continue by the present time.
 */
export function scheduleStarter(
  runs: BackgroundStore,
  agentIds: readonly string[],
  onError: (error: unknown) => void,
): () => Promise<void> {
  let seenAt = Number.POSITIVE_INFINITY
  return async () => {
    const now = runs.now()
    if (now < seenAt - 1_000) await redateSchedules(runs, agentIds, onError)
    seenAt = now
    await startScheduled(runs, agentIds, onError)
  }
}

async function redateSchedules(
  runs: BackgroundStore,
  agentIds: readonly string[],
  onError: (error: unknown) => void,
): Promise<void> {
  const all = await runs.background.schedules({ agentIds, dueBefore: Number.MAX_SAFE_INTEGER })
  for (const schedule of all) await redateOne(runs, schedule).catch(onError)
}

async function redateOne(runs: BackgroundStore, schedule: StoredSchedule): Promise<void> {
  const { agentId, name, nextAt, lastAt = 0 } = schedule
  const times = await cronTimes(schedule)
  const now = runs.now()
  const next = times.after(now)
  if (nextAt === undefined || next === undefined || next >= nextAt) return
  // Its last run was started before the clock was set back: the same time starts no second one.
  const aheadMs = lastAt - now
  if (aheadMs > 0 && aheadMs <= (times.isOfEachHour ? wrongMs.ofEachHour : wrongMs.usual)) return
  await runs.background.moveSchedule({ agentId, name, expectedNextAt: nextAt }, { nextAt: next })
}

/**
 * Starts the runs of schedules that are due: of several workers, one starts each. A time that is found too late was missed:
 * it starts nothing, or with `missed: "once"` one run for all missed ones.
 */
export async function startScheduled(
  runs: BackgroundStore,
  agentIds: readonly string[],
  onError: (error: unknown) => void,
): Promise<void> {
  const due = await runs.background.schedules({ agentIds, dueBefore: runs.now() })
  for (const schedule of due) await startOne(runs, schedule).catch(onError)
}

async function startOne(runs: BackgroundStore, schedule: StoredSchedule): Promise<void> {
  const { background } = runs
  const { agentId, name, nextAt, missed } = schedule
  if (nextAt === undefined) return
  const times = await cronTimes(schedule)
  const now = runs.now()
  const recent = times.after(now - limits.scheduleGraceMs - 1)
  const isOnTime = recent !== undefined && recent <= now && recent >= nextAt
  const next = times.after(now)
  const to = next === undefined ? {} : { nextAt: next }
  const place = { agentId, name, expectedNextAt: nextAt }
  if (!isOnTime && missed === 'skip') {
    await background.moveSchedule(place, to)
    return
  }
  const run = scheduledRun(schedule)
  const bounds = { queued: limits.queued, userQueued: limits.userQueued }
  try {
    if (!(await background.moveSchedule(place, { ...to, run, bounds }))) return
  } catch (error) {
    // A user with too many queued runs gets no more: this time is over.
    if (isAgentKitError(error) && error.code === 'overloaded') await background.moveSchedule(place, to)
    throw error
  }
  // The run is stored: the sweep adds a job that cannot be added now.
  await background.queue.add([jobOf({ ...run, acceptedAt: now })])
}
