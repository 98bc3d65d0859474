import type { Cost, ErrorInfo, Usage } from '@agentkit/core'

/** The result of `evaluate`: plain data, which `JSON.stringify` writes whole. */
export type EvalReport = {
  name: string
  /** The seed of the intervals and tests: the same results and seed give the same report. */
  seed: number
  /** The number of runs of each case. */
  repeats: number
  /** The least score with which a run passes, from 0 to 1. */
  threshold: number
  /** The reports by the names of the variants, in the order of the variants. */
  variants: Record<string, VariantReport>
  /** Every pair of variants by every scorer. */
  comparisons: Comparison[]
  /** The results in the order of variant, case and repeat. */
  results: CaseResult[]
}

/** The report of one variant. */
export type VariantReport = {
  cases: number
  /** Runs without an answer. Each scores 0. */
  failed: number
  scores: Record<string, ScoreSummary>
  usage: Usage
  /** Absent where the price of a model is not known. */
  cost?: Cost
  /** The usage of the scorers themselves, if one is a model. */
  scoring?: { usage: Usage; cost?: Cost }
  /** The duration of a run in milliseconds: the median, and the value that 95 % of the runs do not exceed. */
  durationMs: { p50: number; p95: number }
}

/** The mean of a scorer over cases, with its 95 % interval. NaN, which is null in JSON, where `n` is 0. */
export type ScoreSummary = {
  mean: number
  low: number
  high: number
  /** Cases that have a score. Repeats of a case are averaged first. */
  n: number
}

/** Variant `b` compared with variant `a`, on the cases that have a score of both. */
export type Comparison = {
  a: string
  b: string
  scorer: string
  /** The mean of `b` minus the mean of `a`, with its 95 % interval. */
  difference: number
  low: number
  high: number
  /** Absent for fewer than 10 cases. */
  p?: number
  /** `p`, adjusted by Holm for all comparisons of the report. */
  pAdjusted?: number
  /** Cases that have a score of both. */
  n: number
  /** Cases in which `b` scores higher, equal, and lower. */
  wins: number
  ties: number
  losses: number
  /**
   * The verdict on `b`: "better", "worse", or that no difference was found, with the difference that would have been
   * found.
   */
  verdict: string
}

/** One run of one case. */
export type CaseResult = {
  variant: string
  case: string
  /** From 1 on. */
  repeat: number
  /** The answer, cut at 20,000 characters. */
  text: string
  /** Why there is no answer. */
  error?: ErrorInfo
  scores: Record<string, number>
  /** The reasons of the scores, by scorer. */
  reasons?: Record<string, string>
  /** Why a scorer has no score, by scorer. */
  missing?: Record<string, string>
  /** Whether each scorer has a score, and none is below the threshold. */
  passed: boolean
}
