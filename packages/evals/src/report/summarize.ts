import type { Cost } from '@agentkit/core'
import { addUsage } from '@agentkit/core/internal'
import type { ScoreSummary, VariantReport } from '../data/eval-report.ts'
import type { StoredResult } from '../data/stored-result.ts'
import { bootstrapInterval, meanOf, percentile, wilsonInterval } from '../statistics/intervals.ts'

export type SummaryOptions = { scorers: readonly string[]; seed: number; repeats: number }

/** The report of a variant from its results. */
export function summarize(
  variant: string,
  results: readonly StoredResult[],
  { scorers, seed, repeats }: SummaryOptions,
): VariantReport {
  const summary = (scorer: string): ScoreSummary => {
    return summaryOf([...caseMeans(results, scorer).values()], repeats, [seed, variant, scorer])
  }
  const durations = results.map(({ durationMs }) => durationMs)
  const scoring = results.flatMap((result) => result.scoring ?? [])
  // A run that called no model has no cost.
  const called = results.filter(({ usage, error }) => !error || Object.keys(usage).length > 0)
  const cost = sumCosts(called.map((result) => result.cost))
  const scoringCost = sumCosts(scoring.map((part) => part.cost))
  return {
    cases: new Set(results.map((result) => result.case)).size,
    failed: results.filter(({ error }) => error !== undefined).length,
    scores: Object.fromEntries(scorers.map((scorer) => [scorer, summary(scorer)])),
    usage: results.map(({ usage }) => usage).reduce(addUsage, {}),
    ...(cost && { cost }),
    ...(scoring.length > 0 && {
      scoring: {
        usage: scoring.map(({ usage }) => usage).reduce(addUsage, {}),
        ...(scoringCost && { cost: scoringCost }),
      },
    }),
    durationMs: { p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) },
  }
}

/** The mean score of each case that has one: repeats are averaged first, as they are no independent cases. */
export function caseMeans(results: readonly StoredResult[], scorer: string): Map<string, number> {
  const scores = new Map<string, number[]>()
  // The zeros of failed runs would look like scores of this scorer.
  if (isBroken(results, scorer)) return new Map()
  for (const result of results) {
    const score = result.scores[scorer]
    if (score === undefined) continue
    const known = scores.get(result.case)
    if (known) known.push(score)
    else scores.set(result.case, [score])
  }
  return new Map([...scores].map(([id, own]) => [id, meanOf(own)]))
}

/** Whether the scorer has scored none of the runs that it was asked about. */
function isBroken(results: readonly StoredResult[], scorer: string): boolean {
  const asked = results.filter(({ error }) => error === undefined)
  return asked.length > 0 && asked.every(({ scores }) => scores[scorer] === undefined)
}

function summaryOf(values: readonly number[], repeats: number, seed: readonly (string | number)[]): ScoreSummary {
  const n = values.length
  if (n === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN, n }
  const areRates = repeats === 1 && values.every((value) => value === 0 || value === 1)
  const mean = meanOf(values)
  const { low, high } = areRates ? wilsonInterval(Math.round(mean * n), n) : bootstrapInterval(values, seed)
  return { mean, low, high, n }
}

/** Absent where one is: a sum that leaves out a price would be too low. */
function sumCosts(costs: readonly (Cost | undefined)[]): Cost | undefined {
  const known = costs.filter((cost) => cost !== undefined)
  if (known.length < costs.length || known.length === 0) return undefined
  const usd = known.reduce((sum, cost) => sum + cost.usd, 0)
  return known.some(({ estimated }) => estimated) ? { usd, estimated: true } : { usd }
}
