import type { RunQueue } from '@agentkit/core'
import { toJSON } from '../../util/json.ts'
import { storeTime } from '../../util/store-time.ts'
import { watchClock } from '../../util/watch-clock.ts'
import type { StoreAccess } from '../database/store-access.ts'
import type { Statements } from '../statements/statements.ts'
import { addJob, misdatedJobs, redateJobs, removeJobs, settleJob } from './queued-jobs.ts'
import { leaseMs, takeJobs } from './take-jobs.ts'

/** Ids of runs have no line break. */
const anyJob = 'jobs\n'
/** How often the writes of other processes are looked for: a read of a number in memory that SQLite shares. */
const lookMs = 25
/** How often jobs are looked for that have become due, or whose worker has died, without any write. */
const dueMs = 250

/** The queue of a SQLite file: jobs in a table, for all processes of one machine. */
export function sqliteRunQueue({ read, write, watchers }: StoreAccess): RunQueue {
  const stops = new Set<() => void>()
  const clock = watchClock(leaseMs)

  return {
    async add(jobs) {
      await write((statements, touch) => {
        const now = storeTime()
        for (const job of jobs) addJob(statements, job, now)
        touch(anyJob)
      })
    },

    async take(request) {
      const agents = toJSON(request.agentIds)
      // When the clock was set, workers that live keep their jobs before the end of a lease counts again.
      const trustsLeases = !clock.hasJumped()
      // Most calls find nothing, and wait for no lock.
      if (!(await read((statements) => hasWork(statements, agents))) || request.limit <= 0) return []
      return write((statements) => takeJobs(statements, request, { now: storeTime(), trustsLeases }))
    },

    keep: (jobs) =>
      write((statements) => {
        const until = storeTime() + leaseMs
        return jobs.filter(({ token }) => statements.keepJob.run(until, token).changes === 0)
      }),

    async settle({ token }, again) {
      await write((statements, touch) => {
        settleJob(statements, token, again?.afterMs, storeTime())
        touch(anyJob)
      })
    },

    async remove(runIds) {
      await write((statements, touch) => {
        const now = storeTime()
        for (const runId of runIds) removeJobs(statements, runId, now)
        touch(anyJob)
      })
    },

    async missing(runIds) {
      const misdated = await read((statements) => misdatedJobs(statements, runIds, storeTime()))
      if (misdated.length > 0) await write((statements) => redateJobs(statements, runIds, storeTime()))
      return read((statements) => runIds.filter((runId) => !statements.hasJob.get(runId)))
    },

    onReady(agentIds, listener) {
      const agents = toJSON(agentIds)
      let version: unknown
      let checkedAt = 0
      const look = async (): Promise<void> => {
        const isReady = await read((statements) => {
          const seen = statements.dataVersion.get()?.data_version
          const isSame = seen === version
          version = seen
          if (isSame && performance.now() - checkedAt < dueMs) return false
          checkedAt = performance.now()
          return hasWork(statements, agents)
        })
        if (isReady) listener()
      }
      // A file that cannot be read now is read the next time.
      const lookAgain = (): void => void look().catch(() => {})
      lookAgain()
      const timer = setInterval(lookAgain, lookMs).unref()
      const unwatch = watchers.watch(anyJob, listener)
      const stop = (): void => {
        clearInterval(timer)
        unwatch()
        stops.delete(stop)
      }
      stops.add(stop)
      return stop
    },

    counts: () =>
      read((statements) => {
        const now = storeTime()
        const counts = new Map<string, { agentId: string; queued: number; taken: number; oldestMs: number }>()
        for (const { agent_id, is_taken, jobs, oldest } of statements.jobCounts.all({ now })) {
          // The columns have the types that the statement selects.
          const agentId = agent_id as string
          const count = counts.get(agentId) ?? { agentId, queued: 0, taken: 0, oldestMs: 0 }
          counts.set(agentId, count)
          if (is_taken === 1) count.taken = jobs as number
          else {
            count.queued = jobs as number
            if (oldest !== null) count.oldestMs = now - (oldest as number)
          }
        }
        return [...counts.values()]
      }),

    async clear(agentIds) {
      const agents = agentIds ? toJSON(agentIds) : null
      await write((statements) => {
        statements.removeJobs.run({ agents })
        statements.removeJobTurns.run({ agents })
      })
    },

    // The file is migrated when it is opened.
    migrate: () => read(() => {}),
    async close() {
      for (const stop of stops) stop()
    },
  }
}

function hasWork(statements: Statements, agents: string): boolean {
  const now = storeTime()
  return statements.hasWork.get({ agents, now, most: now + leaseMs })?.work === 1
}
