/** Limits of one request, and of all requests together. Sizes are in bytes, times in milliseconds. */
export type Limits = {
  /** Runs at once; more wait in a queue. */
  runs: number
  /** Runs that wait for a place: users take turns; more are 503 `overloaded`. 0 disables the queue. */
  queuedRuns: number
  /** Runs of one user at once, with auth; never all of `runs`. */
  userRuns: number
  /** Runs of one user that wait for a place, with auth; more are 429 `rate-limit`. 0 disables the user's queue. */
  userQueuedRuns: number
  /** The cost limit for the runs of a user since midnight UTC, in US dollars; further runs are 429 `budget`. */
  userDailyUsd?: number | undefined
  /** The same in tokens. */
  userDailyTokens?: number | undefined
  /** Background runs that wait, of all users; more are 503 `overloaded`. */
  queued: number
  /** Background runs that wait, of one user; more are 503 `overloaded`. */
  userQueued: number
  /** Bodies in memory whose runs have not started, all together; more is 503 `overloaded`. */
  heldBytes: number
  /** Connections at once; one more is 503 `overloaded` and closed. */
  connections: number
  /** Requests of one connection, which are handled in order; it is closed after the last. */
  requestsPerConnection: number
  /** Whole request body, without its files; more is 413 `payload-too-large`. */
  bodyBytes: number
  /** One uploaded file; more is 413 `payload-too-large`. */
  fileBytes: number
  /** Whole request body with files; more is 413 `payload-too-large`. */
  uploadBytes: number
  /** Files of one request; more is 413 `too-many-parts`. */
  files: number
  /** One form field; more is 413 `field-too-large`. */
  fieldBytes: number
  /** Parts of one multipart body; more is 413 `too-many-parts`. */
  parts: number
  /** Nesting of `chat_data`; more is 400 `malformed-chat-data`. */
  jsonDepth: number
  /**
   * A whole run with its time in the queue: longer is 504 `timeout`, or 503 `overloaded` if it has not started. Also the
   * whole body before that: 408 `request-timeout`.
   */
  deadlineMs: number
  /** A run that no connection waits for, resumable ones included, from its start; longer ends as `timeout`. */
  backgroundMs: number
  /**
   * The request's headers, from the first byte to the last; longer is Node's own 408, at most a second later.
   * Also the time in which `auth` looks up a token.
   */
  headersMs: number
  /** A client that stops sending its body (408 `request-timeout`), or stops reading its answer (disconnected). */
  stalledMs: number
  /** Interval of heartbeats on an event stream. The status of a stream is decided by the first one at the latest. */
  heartbeatMs: number
  /** How long `close()` waits for active runs before it aborts them. */
  drainMs: number
}

/** The limits that apply unless `options.limits` overrides them. */
export const defaultLimits: Readonly<Limits> = {
  runs: 32,
  queuedRuns: 256,
  userRuns: 4,
  userQueuedRuns: 32,
  userDailyUsd: undefined,
  userDailyTokens: undefined,
  queued: 100_000,
  userQueued: 10_000,
  heldBytes: 256 * 1024 * 1024,
  connections: 2_048,
  requestsPerConnection: 1_000,
  bodyBytes: 8 * 1024 * 1024,
  fileBytes: 200_000_000,
  uploadBytes: 500_000_000,
  files: 10,
  fieldBytes: 1024 * 1024,
  parts: 50,
  jsonDepth: 32,
  deadlineMs: 300_000,
  backgroundMs: 3_600_000,
  headersMs: 8_000,
  stalledMs: 30_000,
  heartbeatMs: 15_000,
  drainMs: 25_000,
}
