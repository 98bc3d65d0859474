import { AgentKitError, type BackgroundRuns, type StoredSchedule } from '@agentkit/core'
import { listed, toJSON } from '../../util/json.ts'
import { storeTime } from '../../util/store-time.ts'
import type { StoreAccess } from '../database/store-access.ts'
import { enqueueRuns } from './enqueue-runs.ts'

type ScheduleRow = {
  agent_id: string
  name: string
  cron: string
  time_zone: string
  missed: StoredSchedule['missed']
  user_id: string
  entry: string
  next_at: number | null
  last_at: number | null
}

export function storedSchedules({
  holder,
  read,
  write,
}: StoreAccess): Pick<BackgroundRuns, 'setSchedule' | 'removeSchedule' | 'schedules' | 'moveSchedule'> {
  return {
    async setSchedule({ entry, nextAt, lastAt, ...schedule }) {
      const columns = { ...schedule, entry: toJSON(entry), nextAt: nextAt ?? null, lastAt: lastAt ?? null }
      await write((statements) => void statements.setSchedule.run(columns))
    },

    removeSchedule: (agentId, name) => write((statements) => statements.removeSchedule.run(agentId, name).changes > 0),

    schedules: ({ agentIds, dueBefore }) =>
      read((statements) => {
        const agents = agentIds === undefined ? null : toJSON(agentIds)
        const rows =
          agents === null || dueBefore === undefined
            ? statements.schedules.all({ agents, dueBefore: dueBefore ?? null })
            : statements.dueSchedules.all({ agents, dueBefore })
        return listed(rows as ScheduleRow[], toSchedule) // the columns of the table
      }),

    moveSchedule: ({ agentId, name, expectedNextAt }, { nextAt, run, bounds }) =>
      write((statements, touch) => {
        const now = storeTime()
        const moved = { agentId, name, expected: expectedNextAt, nextAt: nextAt ?? null, startedAt: run ? now : null }
        if (statements.moveSchedule.run(moved).changes === 0) return false
        if (run) enqueueRuns({ statements, touch, holder, now }, [run], bounds)
        return true
      }),
  }
}

function toSchedule({ agent_id, time_zone, user_id, entry, next_at, last_at, ...same }: ScheduleRow): StoredSchedule {
  const schedule: StoredSchedule = {
    ...same,
    agentId: agent_id,
    timeZone: time_zone,
    userId: user_id,
    entry: parseEntry(entry, same.name),
  }
  if (next_at !== null) schedule.nextAt = next_at
  if (last_at !== null) schedule.lastAt = last_at
  return schedule
}

function parseEntry(text: string, name: string): StoredSchedule['entry'] {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = `The schedule ${JSON.stringify(name)} cannot be read: the session database is damaged. Set it again.`
    throw new AgentKitError('storage', message, { cause })
  }
}
