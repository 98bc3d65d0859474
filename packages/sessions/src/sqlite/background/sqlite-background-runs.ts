import { type BackgroundRuns, checkSessionKey } from '@agentkit/core'
import { callerHasEnded, conflict, unknownRun } from '../../util/conflicts.ts'
import { parseStored, toJSON } from '../../util/json.ts'
import { storeTime } from '../../util/store-time.ts'
import type { StoreAccess } from '../database/store-access.ts'
import { sqliteRunQueue } from '../queue/sqlite-run-queue.ts'
import { findRun } from '../runs/rows.ts'
import { prepareEntry } from '../runs/write-entry.ts'
import { delegateRun } from './delegate-run.ts'
import { enqueueRuns } from './enqueue-runs.ts'
import { runNotices } from './run-notices.ts'
import { storedSchedules } from './stored-schedules.ts'
import { countRuns, unfinishedRuns } from './unfinished-runs.ts'

/** A worker without a heartbeat for this time is removed from the list, if its agent has another worker. */
const forgottenAfterMs = 60_000

/** Background runs in a SQLite file, for the processes of one machine. */
export function sqliteBackgroundRuns(access: StoreAccess): BackgroundRuns {
  const { holder, read, write } = access
  return {
    queue: sqliteRunQueue(access),

    async enqueue(entries, bounds) {
      for (const { key } of entries) checkSessionKey(key)
      return write((statements, touch) => enqueueRuns({ statements, touch, holder, now: storeTime() }, entries, bounds))
    },

    async retry(runId) {
      await write((statements, touch) => {
        const run = findRun(statements, runId)
        if (!run) throw unknownRun(runId)
        if (run.replaced) throw conflict(`The run ${runId} was replaced by a later one.`)
        if (run.status !== 'failed') throw conflict(`The run ${runId} is ${run.status}; only a failed run is retried.`)
        if (statements.callerHasEnded.get(run.number)) throw callerHasEnded(runId)
        const now = storeTime()
        statements.retryRun.run({ number: run.number, now })
        statements.askAgain.run({ number: run.number, now })
        touch(runId)
      })
    },

    async holdQueued(key, ms) {
      checkSessionKey(key)
      const { agentId, userId, sessionId } = key
      await write((statements) => statements.holdQueued.run(storeTime() + ms, agentId, userId, sessionId))
    },

    async delegate(runId, { members, ...entry }) {
      for (const { key } of members) checkSessionKey(key)
      const prepared = { attempt: entry.attempt, entry: prepareEntry(entry), members }
      await write(
        (statements, touch) => delegateRun({ statements, touch, now: storeTime() }, runId, prepared),
        () => holder.release(runId, entry.attempt),
      )
    },

    unfinished: (agentIds, page) => read((statements) => unfinishedRuns(statements, holder, agentIds, page)),
    counts: () => read(countRuns),

    sharedBudget: (rootRunId) =>
      read((statements) => {
        const row = statements.sharedBudget.get(rootRunId)
        if (!row) return undefined
        // The columns have the types of the table.
        return { version: row.version as number, value: parseStored(row.value as string, rootRunId, 'budget') }
      }),
    setSharedBudget: (runId, expectedVersion, value) =>
      write((statements) => {
        if (!statements.numberOfRun.get(runId)) throw unknownRun(runId)
        const change =
          expectedVersion === 0
            ? statements.addSharedBudget.run({ runId, value: toJSON(value) })
            : statements.moveSharedBudget.run({ runId, version: expectedVersion, value: toJSON(value) })
        return change.changes > 0
      }),

    ...storedSchedules(access),
    ...runNotices(access),

    async beatWorker(workerId, agentIds) {
      await write((statements) => {
        const now = storeTime()
        for (const agentId of agentIds) {
          statements.beatWorker.run(agentId, workerId, now)
          statements.forgetWorkers.run(agentId, now - forgottenAfterMs)
        }
      })
    },
    removeWorker: async (workerId) => {
      await write((statements) => void statements.removeWorker.run(workerId))
    },
    lastWorkers: () =>
      read((statements) =>
        // The columns have the types of the table.
        statements.lastWorkers.all().map((row) => ({ agentId: row.agent_id as string, at: row.beat_at as number })),
      ),
  }
}
