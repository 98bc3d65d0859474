import type { EvalReport } from '../data/eval-report.ts'
import type { EvaluateOptions } from './eval-options.ts'
import { runEval } from './run-eval.ts'

export type { EvaluateOptions } from './eval-options.ts'

/**
 * Runs an agent, or several variants of it, on cases, and scores the answers.
 *
 * Each case runs without a session, `repeats` times. A run that fails scores 0 by every scorer and is counted in `failed`; a
 * scorer that throws has no score for that run, which `missing` of the result names. The scores of a variant have 95 %
 * intervals, and two variants are compared on the cases that both have.
 *
 * Results are kept in `<out>/<name>/results.jsonl` as they are made, and the report in `report.json` beside it. A run
 * with the agent, case, repeat and scorers of a stored result is not repeated, unless the stored run has failed, a
 * score is missing, or `fresh` is true: an eval that was killed continues. With a `cassette` every run is made.
 *
 * @throws AgentKitError `invalid-argument` for a wrong option or case, with its line; `not-found` and `unreadable-file` for
 *   files of cases and cassettes; `aborted` when the signal aborts; `storage` when results cannot be written
 * @example
 * const report = await evaluate({
 *   variants: { short, polite },
 *   cases: 'evals/support.jsonl',
 *   scorers: [contains(), withinBudget({ usd: 0.01 })],
 * })
 * report.variants.short?.scores.contains // { mean: 0.8, low: 0.67, high: 0.89, n: 50 }
 * report.comparisons[0]?.verdict // 'no difference found (n = 50; a difference of 0.18 would have been seen)'
 */
export async function evaluate(options: EvaluateOptions): Promise<EvalReport> {
  return (await runEval(options)).report
}
