/** What a run may use, together with all that it starts. An absent figure is not bounded. */
export type Budget = {
  /** US dollars. */
  usd?: number
  /** Input and output together. */
  tokens?: number
  /** Model calls, including retries and summaries. */
  modelCalls?: number
  /** Tool calls. */
  toolCalls?: number
  /** From the start of the run; time that it waits for an approval does not count. */
  seconds?: number
}
