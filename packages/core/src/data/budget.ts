/** What a run may use, together with all runs that it starts. A value that is left out is unlimited. */
export type Budget = {
  /** The cost of model calls, in US dollars. */
  usd?: number
  /** Tokens, input and output together. */
  tokens?: number
  /** Model calls, including retries, fallbacks and summaries. */
  modelCalls?: number
  /** Tool calls. */
  toolCalls?: number
  /** Seconds since the run began. The time in which it waits for an approval does not count. */
  seconds?: number
}
