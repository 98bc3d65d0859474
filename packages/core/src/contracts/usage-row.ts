/** How usage is grouped. */
export type UsageBy = 'day' | 'model' | 'session'

/** The usage of a group of runs. */
export type UsageRow = {
  /** A date (`2026-11-24`), a `provider/model`, or a session; absent for runs without one. */
  key?: string
  /** The user of the session, when usage is grouped by session. */
  userId?: string
  /** The number of runs. */
  runs: number
  /** The sum of their input tokens. */
  inputTokens: number
  /** The sum of their output tokens. */
  outputTokens: number
  /** The sum of the known costs, in US dollars; absent when no cost is known. */
  usd?: number
}
