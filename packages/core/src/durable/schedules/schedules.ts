import type { QueuedRunEntry, StoredSchedule } from '../../contracts/background-runs.ts'
import { isTooLong } from '../../data/check-id.ts'
import { invalidArgument } from '../../data/errors.ts'
import { limits } from '../../limits.ts'
import type { EnqueueItem, ScheduleInfo, ScheduleTimes } from '../../runs/driver/background.ts'
import { keyOf } from '../../sessions/suspended-runs.ts'
import { asJSON } from '../../util/json/clone-json.ts'
import { checkOptions, isOneOf, isText, type OptionRules } from '../../util/options/check-options.ts'
import { backgroundOf } from '../queue/background-of.ts'
import { type Enqueuer, entriesOf } from '../queue/enqueue.ts'
import type { Owner } from '../stored/stored-runs.ts'
import { cronTimes } from './cron-times.ts'

/** What a schedule starts its runs with. Stored, so its field names are too. */
type ScheduledEntry = Omit<QueuedRunEntry, 'key' | 'runId'> & { userId: string; sessionId?: string }

const timesRules = {
  cron: isText,
  timeZone: isText,
  missed: isOneOf(['skip', 'once']),
} satisfies OptionRules<ScheduleTimes>

/** Replaces the schedule of this agent and name. @throws AgentKitError `invalid-argument`, naming the field */
export async function setSchedule(
  enqueuer: Enqueuer,
  name: string,
  times: ScheduleTimes,
  item: EnqueueItem,
): Promise<void> {
  const runs = backgroundOf(enqueuer.spec.sessions)
  checkName(name)
  checkOptions(times, timesRules, { of: 'schedule', example: '{ cron: "0 7 * * 1-5" }' })
  for (const option of ['startAfter', 'idempotencyKey', 'replaces'] as const) {
    if (item[option] !== undefined)
      throw invalidArgument(`A schedule has no \`${option}\`: each due time is a new run.`)
  }
  const { cron, timeZone = 'UTC', missed = 'skip' } = times
  if (typeof cron !== 'string') throw invalidArgument('Pass `cron`: five fields, such as "0 7 * * 1-5".')
  const { entries } = await entriesOf(enqueuer, [item])
  const nextAt = (await cronTimes({ cron, timeZone })).after(runs.now())
  if (nextAt === undefined) throw invalidArgument(`\`cron\` "${cron}" never comes. Pass fields that have a date.`)
  // One item has one entry.
  const { key, runId: _, ...entry } = entries[0] as QueuedRunEntry
  const { userId } = key
  const scheduled: ScheduledEntry = {
    ...{ ...entry, userId },
    ...(item.sessionId !== undefined && { sessionId: item.sessionId }),
  }
  await runs.background.setSchedule({
    ...{ agentId: enqueuer.spec.id, name, cron, timeZone, missed, userId, nextAt },
    entry: asJSON(scheduled),
  })
}

/** @returns false when there was none */
export async function removeSchedule({ store, agentId }: Owner, name: string): Promise<boolean> {
  const { background } = backgroundOf(store)
  checkName(name)
  return background.removeSchedule(agentId, name)
}

/** The schedules of an agent, by name. */
export async function listSchedules({ store, agentId }: Owner): Promise<ScheduleInfo[]> {
  const found = await backgroundOf(store).background.schedules({ agentIds: [agentId] })
  const known = found.map(({ name, cron, timeZone, missed, userId, nextAt = 0, lastAt }) => ({
    ...{ name, cron, timeZone, missed, userId, next: new Date(nextAt).toISOString() },
    ...(lastAt !== undefined && { last: new Date(lastAt).toISOString() }),
  }))
  return known.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** A run of a schedule, as it is stored. */
export function scheduledRun({ agentId, entry }: StoredSchedule): QueuedRunEntry {
  // The cast holds: `setSchedule` has stored the entry.
  const { userId, sessionId, ...rest } = entry as unknown as ScheduledEntry
  const runId = `run_${crypto.randomUUID()}`
  return { ...rest, runId, key: keyOf({ agentId, userId, ...(sessionId !== undefined && { sessionId }) }, runId) }
}

function checkName(name: string): void {
  if (typeof name !== 'string' || name === '' || isTooLong(name) || !name.isWellFormed()) {
    throw invalidArgument(`\`name\` is a text of 1 to ${limits.idBytes} bytes, such as "digest".`)
  }
}
