import { type BackgroundRuns, checkSessionKey, type RunQueue } from '@agentkit/core'
import { callerHasEnded, conflict, unknownRun } from '../../util/conflicts.ts'
import { parseStored, toJSON } from '../../util/json.ts'
import type { Access } from '../database/access.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { keyOf, lockRun } from '../runs/rows.ts'
import { storeEntry } from '../runs/store-entry.ts'
import { prepareEntry } from '../runs/write-entry.ts'
import { delegateRun } from './delegate-run.ts'
import { enqueueRuns } from './enqueue-runs.ts'
import { runNotices } from './notices.ts'
import { storedSchedules } from './schedules.ts'
import { countRuns, unfinishedRuns } from './unfinished-runs.ts'

/** A worker without a heartbeat for this time is removed from the list, if its agent has another worker. */
const forgottenAfterMs = 60_000

/** Background runs in Postgres, for the processes of many machines. Their jobs are in `queue`. */
export function postgresBackgroundRuns(access: Access, queue: RunQueue): BackgroundRuns {
  const { database, holder, inOrder, write } = access
  const { query } = database
  return {
    queue,

    async enqueue(entries, bounds) {
      for (const { key } of entries) checkSessionKey(key)
      return write((writing) => enqueueRuns(writing, entries, bounds))
    },

    retry: (runId) =>
      write(async ({ query, now, again, touch }) => {
        const run = await lockRun(query, holder, runId)
        if (!run) throw unknownRun(runId)
        if (again && run.status === 'queued') return
        if (run.replaced) throw conflict(`The run ${runId} was replaced by a later one.`)
        if (run.status !== 'failed') throw conflict(`The run ${runId} is ${run.status}; only a failed run is retried.`)
        if ((await query(callerHasEndedText, [run.number])).length > 0) throw callerHasEnded(runId)
        await query(retryText, [run.number, now])
        touch(runId)
      }),

    async holdQueued(key, ms) {
      checkSessionKey(key)
      await write(({ query, now }) => query(holdText, [keyOf(key), now + ms]), { isSingle: true })
    },

    delegate(runId, { members, ...entry }) {
      const prepared = prepareEntry(entry)
      return inOrder(runId, async () => {
        for (const { key } of members) checkSessionKey(key)
        await storeEntry(access, runId, prepared, {
          after: async (writing, isRepeated) => {
            if (!isRepeated) await delegateRun(writing, runId, members)
          },
        })
        holder.release(runId, entry.attempt)
      })
    },

    unfinished: (agentIds, page) => unfinishedRuns(query, holder, agentIds, page),
    counts: () => countRuns(query),

    async sharedBudget(rootRunId) {
      const [row] = await query<{ version: number; value: string }>(budgetText, [toStored(rootRunId)])
      return row && { version: row.version, value: parseStored(row.value, rootRunId, 'budget') }
    },

    setSharedBudget: (rootRunId, expectedVersion, value) =>
      write(
        async ({ query, again }) => {
          const values = [toStored(rootRunId), expectedVersion, toJSON(value)]
          const stored = await query(expectedVersion === 0 ? addBudgetText : moveBudgetText, values)
          if (stored.length > 0) return true
          const [row] = await query<{ version: number | null; value: string }>(storedBudgetText, values.slice(0, 1))
          if (!row) throw unknownRun(rootRunId)
          return again && row.version === expectedVersion + 1 && row.value === values[2]
        },
        { isSingle: true },
      ),

    ...storedSchedules(access),
    ...runNotices(access),

    async beatWorker(workerId, agentIds) {
      const now = holder.now()
      const values = [toStored(workerId), agentIds.map(toStored), now, now - forgottenAfterMs]
      await query(beatText, values)
    },
    async removeWorker(workerId) {
      await query(removeWorkerText, [toStored(workerId)])
    },
    async lastWorkers() {
      const text = 'SELECT agent_id, max(seen_at) AS at FROM agentkit.workers GROUP BY agent_id'
      const rows = await query<{ agent_id: string; at: number }>(text, [])
      return rows.map(({ agent_id, at }) => ({ agentId: fromStored(agent_id), at }))
    },
  }
}

const callerHasEndedText = `SELECT 1 FROM agentkit.runs AS own JOIN agentkit.runs AS caller ON caller.run_id = own.parent
  WHERE own.number = $1 AND own.root IS NOT NULL AND caller.status IN ('done', 'failed')`
/** Open approvals of the run get their full time again. */
const retryText = `WITH asked AS (UPDATE agentkit.approvals SET requested_at = $2 WHERE run = $1 AND decision IS NULL)
  UPDATE agentkit.runs SET status = 'queued', holder = NULL, holds_session = false,
    awaits_members = false, takeovers = 0, is_background = true, is_resumable = true, keeps_events = true, due_at = NULL,
    ready_at = $2, deadline = NULL, ended_at = NULL, finish_reason = NULL, error = NULL, sources = NULL, answer = NULL
  WHERE number = $1`

const holdText = 'UPDATE agentkit.sessions SET direct_until = $2 WHERE key = $1'

const ofRoot = '(SELECT number FROM agentkit.runs WHERE run_id = $1)'
const budgetText = `SELECT version, value FROM agentkit.budgets WHERE run = ${ofRoot}`
const storedBudgetText = `SELECT b.version, b.value FROM agentkit.runs LEFT JOIN agentkit.budgets AS b ON b.run = number
  WHERE run_id = $1`
const addBudgetText = `INSERT INTO agentkit.budgets (run, version, value)
  SELECT number, $2::bigint + 1, $3 FROM agentkit.runs WHERE run_id = $1 ON CONFLICT DO NOTHING RETURNING 1`
const moveBudgetText = `UPDATE agentkit.budgets SET version = version + 1, value = $3
  WHERE run = ${ofRoot} AND version = $2 RETURNING 1`

const beatText = `WITH beat AS (INSERT INTO agentkit.workers (worker_id, agent_id, seen_at)
      SELECT $1::text, agent_id, $3::bigint FROM unnest($2::text[]) AS a (agent_id) ORDER BY agent_id
      ON CONFLICT (agent_id, worker_id) DO UPDATE SET seen_at = excluded.seen_at)
  DELETE FROM agentkit.workers WHERE agent_id = ANY($2) AND worker_id <> $1 AND seen_at < $4`
/** Agents that have had a worker stay known. */
const removeWorkerText = `WITH gone AS (DELETE FROM agentkit.workers WHERE worker_id = $1 RETURNING agent_id, seen_at)
  INSERT INTO agentkit.workers (worker_id, agent_id, seen_at) SELECT '', agent_id, seen_at FROM gone
  ON CONFLICT (agent_id, worker_id) DO UPDATE SET seen_at = greatest(workers.seen_at, excluded.seen_at)`
