/**
 * 0 and absent: no limit. Running, queued and waiting runs and their sessions are never removed, nor, for the day in which it
 * is tried, a session with a notice that is not delivered.
 */
export type RetentionRules = {
  /** Removes sessions that were not used for this time. */
  sessionsMs?: number
  /** Removes a user's oldest sessions beyond this number. */
  sessionsPerUser?: number
  /** Removes events of runs that ended this long ago. */
  eventsMs?: number
  /** Removes idempotent answers of this age, whose runs ended this long ago too. */
  answersMs?: number
}

/** How much the retention has removed. */
export type PruneReport = {
  /** Sessions. */
  sessions: number
  /** Runs. */
  runs: number
  /** Events of runs. */
  events: number
  /** Stored answers to requests with an idempotency key. */
  answers: number
}
