import type { AgentEvent, Cost, Runnable, RunResult, Usage } from '@agentkit/core'
import type { EvalCase } from './eval-case.ts'

/** A run that has an answer, as scorers get it. */
export type ScoredRun = {
  case: EvalCase
  result: RunResult
  events: AgentEvent[]
  /** From the question to the end of the run, in milliseconds. */
  durationMs: number
  /** The agent that ran: its knowledge has the files that it cites. */
  agent: Runnable
}

/**
 * A score from 0 to 1; `true` is 1. `usage` and `cost` are those of the scorer itself, such as a judge: the report
 * keeps them separate from the agent's.
 */
export type Score = number | boolean | { score: number; reason?: string; usage?: Usage; cost?: Cost }

/**
 * Scores runs.
 *
 * @example
 * const short: Scorer = { name: 'short', score: ({ result }) => result.text.length < 200 }
 */
export type Scorer = {
  /** Unique in its eval. */
  name: string
  /**
   * Called once per run that has an answer. A scorer that throws, returns no score, or takes longer than
   * `scorerTimeoutMs` has no score for that run.
   * @param signal aborts with the eval, and when the time of the scorer is over
   */
  score(run: ScoredRun, signal: AbortSignal): Score | Promise<Score>
  /**
   * A version of the inputs that results depend on beside the code of `score`: after a change, stored results are not
   * reused.
   */
  version?: string
}
