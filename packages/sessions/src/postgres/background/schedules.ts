import type { BackgroundRuns, StoredSchedule } from '@agentkit/core'
import { listed, parseStored, readable, toJSON } from '../../util/json.ts'
import type { Access } from '../database/access.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { enqueueRuns } from './enqueue-runs.ts'

type ScheduleRow = { agent_id: string; name: string; body: string; next_at: number | null; last_at: number | null }

export function storedSchedules({
  database: { query },
  write,
}: Access): Pick<BackgroundRuns, 'setSchedule' | 'removeSchedule' | 'schedules' | 'moveSchedule'> {
  return {
    async setSchedule({ agentId, name, nextAt = null, lastAt = null, ...body }) {
      const place = [toStored(agentId), toStored(name)]
      await write(async (writing) => {
        const [known] = await writing.query<ScheduleRow>(knownText, place)
        const next = (known && hasTimes(known, body) ? known.next_at : undefined) ?? nextAt
        await writing.query(setText, [...place, toJSON(body), next, lastAt])
      })
    },

    removeSchedule: (agentId, name) =>
      write(
        async ({ query, again }) => {
          const text = 'DELETE FROM agentkit.schedules WHERE agent_id = $1 AND name = $2 RETURNING 1'
          const removed = await query(text, [toStored(agentId), toStored(name)])
          return removed.length > 0 || again
        },
        { isSingle: true },
      ),

    async schedules({ agentIds, dueBefore }) {
      const agents = agentIds?.map(toStored) ?? null
      const rows =
        dueBefore === undefined
          ? await query<ScheduleRow>(schedulesText, [agents])
          : await query<ScheduleRow>(dueText(agents === null), [dueBefore, ...(agents === null ? [] : [agents])])
      return listed(rows, toSchedule)
    },

    moveSchedule: ({ agentId, name, expectedNextAt }, { nextAt = null, run, bounds }) =>
      write(async (writing) => {
        const { query, now, again } = writing
        const place = [toStored(agentId), toStored(name)]
        const moved = await query(moveText, [...place, expectedNextAt, nextAt, run ? now : null])
        if (moved.length === 0) {
          // An earlier try, whose answer was lost, may have moved it.
          return again && run !== undefined && (await query(startedText, [toStored(run.runId), now])).length > 0
        }
        if (run) await enqueueRuns(writing, [run], bounds)
        return true
      }),
  }
}

const knownText = 'SELECT * FROM agentkit.schedules WHERE agent_id = $1 AND name = $2 FOR UPDATE'
const setText = `INSERT INTO agentkit.schedules (agent_id, name, body, next_at, last_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (agent_id, name) DO UPDATE SET body = excluded.body, next_at = excluded.next_at,
    last_at = coalesce(excluded.last_at, schedules.last_at)`
const columns = 'SELECT agent_id, name, body, next_at, last_at FROM agentkit.schedules'
const schedulesText = `${columns} WHERE $1::text[] IS NULL OR agent_id = ANY($1) ORDER BY agent_id, name`
/** Those of some agents by an index: few of many are due. */
const dueText = (ofAll: boolean): string =>
  `${columns} WHERE next_at <= $1${ofAll ? '' : ' AND agent_id = ANY($2)'} ORDER BY agent_id, name`
const moveText = `UPDATE agentkit.schedules SET next_at = $4::bigint, last_at = coalesce($5::bigint, last_at)
  WHERE agent_id = $1 AND name = $2 AND next_at = $3 RETURNING 1`
const startedText = 'SELECT 1 FROM agentkit.runs WHERE run_id = $1 AND created_at = $2'

/** Whether a row has these times. False for a row that cannot be read: it is replaced. */
function hasTimes(row: ScheduleRow, { cron, timeZone }: Pick<StoredSchedule, 'cron' | 'timeZone'>): boolean {
  return readable([row], toSchedule).some((known) => known.cron === cron && known.timeZone === timeZone)
}

function toSchedule({ agent_id, name, body, next_at, last_at }: ScheduleRow): StoredSchedule {
  const place = { agentId: fromStored(agent_id), name: fromStored(name) }
  const schedule: StoredSchedule = {
    ...parseStored<StoredSchedule>(body, `of the schedule ${name}`, 'options'),
    ...place,
  }
  if (next_at !== null) schedule.nextAt = next_at
  if (last_at !== null) schedule.lastAt = last_at
  return schedule
}
