import type { Clock, ConstructorOptions, Queue } from 'pg-boss'

/** The schema for pg-boss 12. A new major version gets its own schema, which `clear` and the store fill. */
export const schema = 'agentkit_queue_v12'

/** All jobs are in one queue of pg-boss, so that a pass over the queues costs the same for any number of agents. */
export const queueName = 'runs'

/** The part of `job` that has the queues without a table of their own. */
export const table: string = `${schema}.job_common`

/** The time of pg-boss. */
export const now: string = `${schema}.job_now()`

/** Each value has a test in `settings.test.ts`. */
export const queueSettings: Omit<Queue, 'name'> = {
  /** One job of a `singletonKey`, the session, is taken at a time. */
  policy: 'singleton',
  /** The least that pg-boss allows: a worker that touches its jobs every 3 s may miss two times. */
  heartbeatSeconds: 10,
  /** The most that pg-boss allows; it counts from the start of a job, touched or not. `renewAfterHours` is before it. */
  expireInSeconds: 86_400,
  /**
   * A job never fails, because the store has the failure of a run. With the default, 2, the third death of a worker
   * would fail the job.
   */
  retryLimit: 2_147_483_647,
  /** 10 years. After the default, 14 days, a run that waits for a worker of its agent would lose its job. */
  retentionSeconds: 315_360_000,
  deleteAfterSeconds: 60,
}

/** The start of a job that a worker holds longer than this is renewed, so that it does not expire. */
export const renewAfterHours = 23

export const bossSettings: ConstructorOptions = {
  schema,
  /** Passes over the queue are made by the workers that `WorkerConnection` makes supervisors. */
  supervise: false,
  monitorIntervalSeconds: 1,
  /** How often completed jobs are deleted. */
  maintenanceIntervalSeconds: 30,
  /** Schedules are in the store. */
  schedule: false,
  /** Jobs depend on no other jobs. */
  flowIntervalSeconds: 86_400,
  registerInstance: false,
  openTelemetry: { enabled: false },
}

export const connectionSettings = {
  application_name: 'agentkit-queue',
  max: 4,
  connectionTimeoutMillis: 10_000,
  /** A connection that was cut without a sign is given up. */
  query_timeout: 15_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
  /** A process that has only added jobs may end without `close`. */
  allowExitOnIdle: true,
}

/** The time of this machine. Its timers do not keep the process. */
export const quietClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms).unref(),
  setInterval: (run, ms) => setInterval(run, ms).unref(),
  // The cast holds: pg-boss returns the timers that the functions above have created.
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
}
