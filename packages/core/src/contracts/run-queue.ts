/**
 * Which runs wait for a worker. It holds ids only: what a run is, and whether it may begin, is decided by the store of
 * sessions, from which a queue can be rebuilt. Every queue passes `runQueueContract` of `@agentkit/testing/vitest`.
 *
 * - A job is delivered at least once. A worker that no longer keeps a job, since it died or was cut off, loses it to
 *   another one within 12 s.
 * - Of the jobs with one `sessionKey`, at most one is taken at a time, and those that are due come in the order of
 *   `sessionOrder`, whatever their priorities.
 * - Jobs of one user come in the order of priority, then of time, as far as their sessions allow. Users take turns: jobs of a user who has few are not
 *   behind those of a user who has many.
 */
export interface RunQueue {
  /** Adds jobs. A run that has an open job may get a second one: the store lets one of them continue the run. */
  add(jobs: readonly QueuedJob[]): Promise<void>
  /**
   * Takes jobs that are due, for one worker.
   * @param request.perUser the most that one user may have taken, over all workers, while other users have jobs
   */
  take(request: { agentIds: readonly string[]; limit: number; perUser?: number }): Promise<TakenJob[]>
  /** Keeps jobs for their worker; called every 3 s. @returns those that the worker has lost */
  keep(jobs: readonly TakenJob[]): Promise<TakenJob[]>
  /** Removes a job whose run has ended, waits, or runs elsewhere; with `afterMs` it is delivered again after that time. */
  settle(job: TakenJob, again?: { afterMs: number }): Promise<void>
  /**
   * Removes the jobs of these runs that no worker has: they were cancelled before they began. Absent where such a job is
   * removed once a worker has taken it.
   */
  remove?(runIds: readonly string[]): Promise<void>
  /** The runs among these that have no open job. */
  missing(runIds: readonly string[]): Promise<string[]>
  /** Calls `listener` when jobs of these agents may be there to take, also those of other processes. @returns stops it */
  onReady(agentIds: readonly string[], listener: () => void): () => void
  /** Open jobs by agent; `oldestMs` is how long the oldest job that is due has waited. */
  counts(): Promise<QueueCounts[]>
  /** Removes every job; with `agentIds`, those of these agents. The store adds them again. */
  clear(agentIds?: readonly string[]): Promise<void>
  /** Prepares the queue's own tables; `add` and `take` do it too. */
  migrate(): Promise<void>
  close(): Promise<void>
}

/** A job of the queue: a run that a worker should execute. */
export type QueuedJob = {
  /** The id of the run. */
  runId: string
  /** The id of its agent. */
  agentId: string
  /** The user of the run. */
  userId: string
  /** The session of the run, unique for its agent and user. When absent, the job waits for no other job. */
  sessionKey?: string
  /**
   * Among the jobs of its session, lower first: when its run was accepted or became due, by the clock of the store. When
   * absent, it is behind those that were added before.
   */
  sessionOrder?: number
  /** Higher first; 0 when absent. */
  priority?: number
  /** Not before this time, in milliseconds since 1970. */
  startAfter?: number
}

/** A job that a worker has taken. */
export type TakenJob = {
  /** The id of the run. */
  runId: string
  /** The id of its agent. */
  agentId: string
  /** The user of the run. */
  userId: string
  /** The id of this delivery of the job. */
  token: string
}

/** The jobs of an agent. */
export type QueueCounts = {
  /** The id of the agent. */
  agentId: string
  /** Jobs that no worker has taken. */
  queued: number
  /** Jobs that a worker has taken. */
  taken: number
  /** How long the oldest queued job that is due has waited, in milliseconds; 0 when there is none. */
  oldestMs: number
}
