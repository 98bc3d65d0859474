import { checkSessionKey, type OrphanedRun, type RunQueue, type RunStore } from '@agentkit/core'
import { isEnded } from '@agentkit/core/internal'
import { unknownRun } from '../util/conflicts.ts'
import { jsonOrNull, toJSON } from '../util/json.ts'
import { postgresBackgroundRuns } from './background/background-runs.ts'
import type { Access } from './database/access.ts'
import { fromStored, toStored } from './database/text-form.ts'
import { idempotentAnswers } from './runs/answers.ts'
import { appendTogether } from './runs/append-together.ts'
import { decide, suspendRun } from './runs/approvals.ts'
import { beginRun } from './runs/begin-run.ts'
import { endRun } from './runs/end-runs.ts'
import { listRuns } from './runs/list-runs.ts'
import { readUsage } from './runs/read-usage.ts'
import { headOf, isRunning, lockRun, type RunHead } from './runs/rows.ts'
import { readStoredRun } from './runs/run-rows.ts'
import { storeEntry } from './runs/store-entry.ts'
import { readEventRange, readEvents } from './runs/stored-events.ts'
import { takeOver } from './runs/take-over.ts'
import { prepareEntry } from './runs/write-entry.ts'
import { prune } from './sessions/prune.ts'

/** The part of a Postgres store that lets runs outlive their process. */
export function postgresRunStore(access: Access, queue: RunQueue | undefined): RunStore {
  const { holder, watchers, announcements, database, inOrder, write } = access
  const { query } = database
  const append = appendTogether(access)

  return {
    ...(queue && { background: postgresBackgroundRuns(access, queue) }),
    get hearsOthers() {
      return announcements.isReceiving
    },
    now: () => holder.now(),
    open: () => database.open(),

    create(key, run) {
      const { runId, expectedVersion, input, replaces } = run
      return inOrder(runId, async () => {
        checkSessionKey(key)
        const columns = {
          agentId: run.agentId,
          isResumable: run.isResumable,
          keepsEvents: run.keepsEvents,
          notifies: run.notifies ?? false,
          deadline: run.deadline ?? null,
          agentVersion: run.agentVersion ?? null,
          options: jsonOrNull(run.options),
          progress: jsonOrNull(run.progress),
        }
        const bodies = input.map(toJSON)
        const toBegin = { key, runId, expectedVersion, input, bodies, replaces, mayBeginAgain: false, columns }
        holder.hold(runId, await beginRun(access, toBegin))
      })
    },

    takeOver: (runId, options) =>
      inOrder(runId, async () => {
        const outcome = await takeOver(access, runId, options)
        const { attempt, rootRunId } = outcome.stored
        holder.hold(runId, { attempt, count: outcome.count, inTree: rootRunId !== undefined })
        return outcome.stored
      }),

    append(runId, entry) {
      const prepared = prepareEntry(entry)
      return inOrder(runId, () => append(runId, prepared))
    },

    suspend(runId, entry) {
      const prepared = prepareEntry(entry)
      return inOrder(runId, async () => {
        const decisions = await storeEntry(access, runId, prepared, {
          after: (writing, isRepeated) => suspendRun(writing, runId, entry, isRepeated),
        })
        holder.release(runId, entry.attempt)
        return decisions
      })
    },

    decide: (runId, decisions, by) => write((writing) => decide(writing, runId, decisions, by)),

    end(runId, entry) {
      const prepared = prepareEntry(entry)
      return inOrder(runId, async () => {
        try {
          await storeEntry(access, runId, prepared, { ending: entry })
          holder.release(runId, entry.attempt)
        } catch (error) {
          // A run whose end could not be stored is lost from now on, and resumed or settled as such.
          if (holder.held(runId)?.attempt === entry.attempt) holder.abandon(runId)
          throw error
        }
      })
    },

    cancel: (runId, ending) =>
      write(async (writing) => {
        const run = await lockRun(writing.query, holder, runId)
        if (!run) throw unknownRun(runId)
        if (isEnded(run.status)) {
          return writing.again && run.ended_at === writing.now
        }
        await endRun(writing, run, ending)
        return true
      }),

    release: (runId, attempt) =>
      inOrder(runId, async () => {
        await storeEntry(access, runId, prepareEntry({ attempt }), {
          after: async ({ query }, isRepeated) => {
            if (!isRepeated) await query('UPDATE agentkit.runs SET holder = NULL WHERE run_id = $1', [toStored(runId)])
          },
        })
        holder.release(runId, attempt)
      }),

    read: (runId) => readStoredRun(query, runId),

    async list(owner, filter) {
      checkSessionKey(owner.userId === undefined ? {} : { userId: owner.userId })
      return listRuns(query, owner, filter)
    },

    async usage(owner, filter) {
      checkSessionKey(owner.userId === undefined ? {} : { userId: owner.userId })
      return readUsage(query, owner, filter)
    },

    async agents() {
      const rows = await query<{ agent_id: string }>(agentsText, [])
      return rows.map(({ agent_id }) => fromStored(agent_id))
    },

    events: (runId, after, limit) => readEvents(query, runId, after, limit),
    eventRange: (runId) => readEventRange(query, runId),

    watch(runId, listener) {
      const stop = watchers.watch(runId, listener)
      announcements.listen()
      return stop
    },

    async orphans(agentIds) {
      const rows = await query<RunHead & { agent_id: string }>(
        `${headOf(holder).replace('SELECT', 'SELECT agent_id,')} WHERE agent_id = ANY($1) AND ${isRunning}
          AND NOT is_background ORDER BY holder IS NOT NULL, number`,
        [agentIds.map(toStored)],
      )
      const found = rows.filter((run) => run.holder === null || holder.isLost(run)).slice(0, 100)
      return found.map(
        (run): OrphanedRun => ({
          runId: fromStored(run.run_id),
          agentId: fromStored(run.agent_id),
          isLost: run.holder !== null,
          isResumable: run.is_resumable,
          takeovers: run.takeovers,
        }),
      )
    },

    async expired(agentIds, before) {
      const rows = await query<{ run_id: string }>(
        `SELECT run_id FROM agentkit.runs WHERE status = 'waiting' AND waiting_since < $2 AND agent_id = ANY($1)
          AND root IS NULL ORDER BY waiting_since LIMIT 100`,
        [agentIds.map(toStored), Math.ceil(before)], // the database compares whole milliseconds
      )
      return rows.map(({ run_id }) => fromStored(run_id))
    },

    prune: (rules) => prune(access, rules),

    async size() {
      const [row] = await query<{ bytes: number }>(
        `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class AS c
          JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
        [database.options.schema],
      )
      return row?.bytes ?? 0
    },

    answers: idempotentAnswers(access),
  }
}

/** Steps from one agent to the next in the index of owners, instead of reading all of it. */
const agentsText = `WITH RECURSIVE agents (agent_id) AS (
    SELECT min(agent_id) FROM agentkit.runs
    UNION ALL SELECT (SELECT min(r.agent_id) FROM agentkit.runs AS r WHERE r.agent_id > agents.agent_id) FROM agents
      WHERE agents.agent_id IS NOT NULL
  ) SELECT agent_id FROM agents WHERE agent_id IS NOT NULL LIMIT 1000`
