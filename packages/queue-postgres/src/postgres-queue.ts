import type { RunQueue, TakenJob } from '@agentkit/core'
import { invalidArgument } from '@agentkit/core/internal'
import type { JobAttempt } from 'pg-boss'
import { batched } from './batched.ts'
import { agentIdsIn, jobNotifier } from './job-notices.ts'
import { toInsert } from './job-rows.ts'
import { clearAgents, countJobs, missingRuns, removeJobs, renewJobs, returnJob } from './job-statements.ts'
import { JobTaker } from './job-taker.ts'
import { QueueDatabase } from './queue-database.ts'
import { queueName, quietClock } from './settings.ts'
import { WorkerConnection } from './worker-connection.ts'

/** The connection of a queue, and its schema. */
export type PostgresQueueOptions = {
  /** `postgres://user:password@host/database`, of the database that has the sessions. */
  connectionString: string
  /** For tests: the `TestClock` of pg-boss. */
  clock?: QueueClock
}

/** The same as pg-boss's `Clock`, whose types do not compile with `skipLibCheck: false`. */
type QueueClock = {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  setInterval(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
  clearInterval(timer: unknown): void
}

/**
 * The queue of background runs in Postgres, by pg-boss, in the schema `agentkit_queue_v12`. It connects at the first call,
 * which creates the schema or migrates it.
 *
 * @throws AgentKitError `invalid-argument` without a URL; from every call `storage` with the fix, after 20 s in which
 *   Postgres was not reachable
 * @example
 * const sessions = postgresSessions(url, { queue: postgresQueue(url) })
 */
export function postgresQueue(options: string | PostgresQueueOptions): RunQueue {
  // An environment variable may be absent.
  const { connectionString, clock = quietClock }: Partial<PostgresQueueOptions> =
    typeof options === 'string' ? { connectionString: options } : (options ?? {})
  if (typeof connectionString !== 'string' || connectionString === '') {
    throw invalidArgument(
      'postgresQueue takes the URL of a database: postgresQueue("postgres://user:password@host/database").',
    )
  }
  const database = new QueueDatabase(connectionString, clock)
  const taker = new JobTaker(database)
  const notify = jobNotifier(database)
  const complete = batched((jobs: readonly TakenJob[]) =>
    database.call((boss) => boss.complete(queueName, jobs.map(attemptOf))),
  )
  let connection: WorkerConnection | undefined
  let renewedAt = clock.now()

  /** The connection of a process that works on jobs. */
  const connect = (): WorkerConnection => {
    database.requireOpen()
    connection ??= new WorkerConnection({
      connectionString,
      onNotice: (payload) => taker.wake(agentIdsIn(payload)),
      supervise: () => database.open().then((boss) => boss.supervise()),
      poll: (idleMs) => taker.poll(idleMs),
    })
    return connection
  }

  return {
    async add(jobs) {
      const rows = jobs.map(toInsert)
      for (let from = 0; from < rows.length; from += 5_000) {
        // The rows have ids: those that are there already are not added again.
        await database.call((boss) => boss.insert(queueName, rows.slice(from, from + 5_000)))
      }
      const due = jobs.filter(({ startAfter = 0 }) => startAfter <= clock.now()).map(({ agentId }) => agentId)
      if (due.length === 0) return
      taker.wake(due)
      notify(due)
    },

    take: async ({ agentIds, limit }) => taker.take(agentIds, limit, connect().idleMs),

    async keep(jobs) {
      if (jobs.length === 0) return []
      const attempts = jobs.map(attemptOf)
      const touched = await database.call((boss) => boss.touch(queueName, attempts))
      if (clock.now() - renewedAt > 60_000) {
        renewedAt = clock.now()
        await database.query(renewJobs, [jobs.map(({ token }) => token)])
      }
      // The type of pg-boss does not have them.
      const { settled = [] } = touched as { settled?: string[] }
      const kept = new Map(settled.map((id) => [id, 0]))
      // pg-boss names jobs, not deliveries: of several deliveries of one job, the last one is kept.
      for (const { id, retryCount } of attempts) {
        if (kept.has(id)) kept.set(id, Math.max(kept.get(id) ?? 0, retryCount))
      }
      return jobs.filter((_, index) => kept.get(attempts[index]?.id ?? '') !== attempts[index]?.retryCount)
    },

    async settle(job, again) {
      if (!again) {
        await complete(job)
        return
      }
      await database.query(returnJob, [job.token, Math.max(0, again.afterMs)])
      if (again.afterMs <= 60_000) setTimeout(() => taker.wake([job.agentId]), again.afterMs).unref()
    },

    async remove(runIds) {
      await database.query(removeJobs, [runIds])
    },

    missing: async (runIds) => (await database.query<{ id: string }>(missingRuns, [runIds])).map(({ id }) => id),

    onReady(agentIds, listener) {
      connect()
      return taker.onReady(agentIds, listener)
    },

    counts: () => database.query(countJobs),

    async clear(agentIds) {
      if (agentIds) await database.query(clearAgents, [agentIds])
      else await database.call((boss) => boss.deleteAllJobs())
    },

    async migrate() {
      await database.call(async () => {})
    },

    async close() {
      taker.removeListeners()
      await database.close(connection?.close())
    },
  }
}

function attemptOf({ token }: TakenJob): JobAttempt {
  const [id = '', retryCount] = token.split(' ')
  return { id, retryCount: Number(retryCount) }
}
