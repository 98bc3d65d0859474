import type { RunQueue, TakenJob } from '@agentkit/core'
import { AgentKitError } from '@agentkit/core'
import { invalidArgument } from '@agentkit/core/internal'
import type { JobAttempt, PgBoss } from 'pg-boss'
import { batched } from './batched.ts'
import { coalesce } from './coalesce.ts'
import { type Fleet, openFleet } from './fleet.ts'
import { toInsert } from './job-rows.ts'
import { clearAgents, countJobs, missingRuns, removeJobs, renewJobs, returnJob } from './job-statements.ts'
import { openBoss } from './open-boss.ts'
import { queueName, quietClock, schema } from './settings.ts'
import { retrying, toStorageError } from './storage-error.ts'
import { agentsWithJobs, type TakenRow, takeJobs } from './take-jobs.ts'

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
  const listeners = new Set<{ agentIds: readonly string[]; wake: () => void }>()
  const agentsToNotify = new Set<string>()
  let opening: Promise<PgBoss> | undefined
  let isOpened = false
  let isClosed = false
  let fleet: Fleet | undefined
  let lastUser = ''
  /** The time until which no job is expected, unless one is announced. */
  let idleUntil = 0
  let lookedAt = 0
  let renewedAt = clock.now()

  const requireOpen = (): void => {
    if (isClosed) throw new AgentKitError('storage', 'The queue is closed. Make a new one with postgresQueue(url).')
  }
  const open = async (): Promise<PgBoss> => {
    requireOpen()
    opening ??= openBoss(connectionString, clock).catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }

  /** @param work may be done again, when the connection is lost before its answer comes */
  const call = async <T>(work: (boss: PgBoss) => Promise<T>): Promise<T> => {
    const openAndWork = async (): Promise<T> => {
      const boss = await open()
      isOpened = true
      return work(boss)
    }
    try {
      return await retrying(openAndWork, { isFirst: !isOpened })
    } catch (error) {
      throw toStorageError(error, connectionString)
    }
  }
  const query = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    call(async (boss) => (await boss.getDb().executeSql(text, values)).rows)

  const wake = (agentIds?: readonly string[]): void => {
    idleUntil = 0
    for (const listener of listeners) {
      if (!agentIds || listener.agentIds.some((id) => agentIds.includes(id))) listener.wake()
    }
  }
  // The notification is not part of the statement that adds jobs, because commits that notify wait for each other.
  const notify = coalesce(() => {
    const payload = JSON.stringify([...agentsToNotify])
    agentsToNotify.clear()
    query('SELECT pg_notify($1, $2)', [schema, payload.length < 7_000 ? payload : '']).catch(() => {}) // workers poll
  }, 20)

  const work = (): Fleet => {
    requireOpen()
    fleet ??= openFleet({
      connectionString,
      onNotice: (payload) => wake(agentIdsIn(payload)),
      supervise: () => open().then((boss) => boss.supervise()),
      async look() {
        const agentIds = [...listeners].flatMap((listener) => listener.agentIds)
        // A recent take has looked for jobs already.
        if (agentIds.length === 0 || performance.now() - lookedAt < Math.max(900, work().idleMs)) return
        lookedAt = performance.now()
        const found = await query<{ id: string }>(agentsWithJobs, [agentIds])
        if (found.length > 0) wake(found.map(({ id }) => id))
      },
    })
    return fleet
  }

  const complete = batched((jobs: readonly TakenJob[]) => call((boss) => boss.complete(queueName, jobs.map(attemptOf))))

  const takeOnce = async (agentIds: readonly string[], limit: number): Promise<TakenRow[]> => {
    for (let tries = 0; tries < 5; tries++) {
      try {
        return await query<TakenRow>(takeJobs, [agentIds, lastUser, limit, limit + 16])
      } catch (error) {
        // Another worker has taken a job of the same session at this moment.
        if (!(error instanceof AgentKitError && Object(error.cause).code === '23505')) throw error
      }
    }
    return []
  }

  return {
    async add(jobs) {
      const rows = jobs.map(toInsert)
      for (let from = 0; from < rows.length; from += 5_000) {
        // The rows have ids: those that are there already are not added again.
        await call((boss) => boss.insert(queueName, rows.slice(from, from + 5_000)))
      }
      const due = jobs.filter(({ startAfter = 0 }) => startAfter <= clock.now()).map(({ agentId }) => agentId)
      if (due.length === 0) return
      wake(due)
      for (const agentId of due) agentsToNotify.add(agentId)
      notify()
    },

    // The order in which jobs are taken keeps `perUser`: a user has more than others only while the others have no jobs.
    async take({ agentIds, limit }) {
      const { idleMs } = work()
      if (agentIds.length === 0 || performance.now() < idleUntil) return []
      const taken: TakenRow[] = []
      lookedAt = performance.now()
      idleUntil = lookedAt + idleMs
      while (taken.length < limit) {
        const rows = await takeOnce(agentIds, limit - taken.length)
        taken.push(...rows)
        const last = rows.at(-1)
        if (!last) break
        lastUser = last.group
        if (last.isAll) break
      }
      if (taken.length > 0) idleUntil = 0
      return taken.map(({ id, retryCount, agentId, data }) => ({
        ...{ runId: data.runId, agentId, userId: JSON.parse(data.user) },
        token: `${id} ${retryCount}`,
      }))
    },

    async keep(jobs) {
      if (jobs.length === 0) return []
      const attempts = jobs.map(attemptOf)
      const touched = await call((boss) => boss.touch(queueName, attempts))
      if (clock.now() - renewedAt > 60_000) {
        renewedAt = clock.now()
        await query(renewJobs, [jobs.map(({ token }) => token)])
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
      await query(returnJob, [job.token, Math.max(0, again.afterMs)])
      if (again.afterMs <= 60_000) setTimeout(wake, again.afterMs, [job.agentId]).unref()
    },

    async remove(runIds) {
      await query(removeJobs, [runIds])
    },

    missing: async (runIds) => (await query<{ id: string }>(missingRuns, [runIds])).map(({ id }) => id),

    onReady(agentIds, listener) {
      work()
      const callListener = (): void => {
        if (listeners.has(entry)) listener()
      }
      const entry = { agentIds, wake: coalesce(callListener, 20) }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },

    counts: () => query(countJobs),

    async clear(agentIds) {
      if (agentIds) await query(clearAgents, [agentIds])
      else await call((boss) => boss.deleteAllJobs())
    },

    async migrate() {
      await call(async () => {})
    },

    async close() {
      isClosed = true
      listeners.clear()
      const [boss] = await Promise.all([opening?.catch(() => undefined), fleet?.close()])
      await boss?.stop({ graceful: false })
    },
  }
}

/** The agents that a notice names; `undefined`, which is all, also where another program or role has used the channel. */
function agentIdsIn(payload = ''): string[] | undefined {
  try {
    const ids: unknown = JSON.parse(payload)
    return Array.isArray(ids) ? ids : undefined
  } catch {
    return undefined
  }
}

function attemptOf({ token }: TakenJob): JobAttempt {
  const [id = '', retryCount] = token.split(' ')
  return { id, retryCount: Number(retryCount) }
}
